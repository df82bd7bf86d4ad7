// SPDX-License-Identifier: MIT
#include "cli/command_text.h"

#include "cli/places.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "record/record.h"
#include "trace/writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace twinrun {
namespace {

constexpr std::string_view kNeedsShell = "|&;<>()$`*?[]~#{}!\n";

bool is_command(const std::string& text) {
  if (text.find_first_of(" \t\n") != std::string::npos) return true;
  struct stat about{};
  return text.find('/') != std::string::npos && stat(text.c_str(), &about) == 0 &&
         S_ISREG(about.st_mode) && access(text.c_str(), X_OK) == 0 && !looks_like_recording(text);
}

/// What the program prints must not get between the lines of the answer.
class OutputAside {
 public:
  OutputAside() : kept_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputAside() {
    std::fflush(stdout);
    if (kept_ < 0) return;
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;

 private:
  int kept_;
};

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool needs_shell = quote == 0 ? kNeedsShell.find(c) != std::string_view::npos
                                        : quote == '"' && (c == '$' || c == '`');
    if (needs_shell) return std::vector<std::string>{"/bin/sh", "-c", std::string(text)};
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      in_word = true;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      const char next = text[++i];
      if (quote == '"' && next != '"' && next != '\\') word += c;
      word += next;
      in_word = true;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      if (in_word) out.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return fail("C003", "a quote is not closed in: {}", text);
  if (in_word) out.push_back(std::move(word));
  if (out.empty()) return fail("C003", "the command is empty");
  return out;
}

std::string shell_word(const std::string& text) {
  const bool is_plain = !text.empty() && text.find_first_of(kNeedsShell) == std::string::npos &&
                        text.find_first_of(" \t\"'\\") == std::string::npos;
  if (is_plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Result<std::string> recording_or_command(const std::string& text, double timeout) {
  if (!is_command(text)) return resolve_recording(text);
  RecordOptions options{.timeout = timeout, .quiet = true};
  TRY(options.command, split_command(text));
  TRY(options.tool_dir, tool_directory());
  for (int attempt = 1;; ++attempt) {
    TRY(const OutputPlace place, choose_output("", options.command[0], false));
    options.output_path = place.path;
    const OutputAside aside;
    Result<RecordOutcome> outcome = record(options);
    if (!outcome) {
      if (outcome.error().code == kErrorNameTaken && attempt < kNameAttempts) continue;
      return std::unexpected(std::move(outcome).error());
    }
    if (outcome->nothing_recorded) return fail("R019", "nothing was recorded of: {}", text);
    print_note(fmt::format("recorded {} as {}{}", text, place.name,
                           outcome->timed_out ? ", which did not end in time" : ""));
    return outcome->path;
  }
}

}  // namespace twinrun
