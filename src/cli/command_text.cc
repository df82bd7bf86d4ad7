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

#include <algorithm>
#include <cstdio>
#include <optional>
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

/// "NAME=value", as shells take it in front of a command.
bool is_assignment(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  const auto is_of_name = [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  const std::string_view name = word.substr(0, equals);
  return !(name[0] >= '0' && name[0] <= '9') && std::ranges::all_of(name, is_of_name);
}

/// Nothing: it needs a shell. C003 for an open quote.
Result<std::optional<std::vector<std::string>>> split_words(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool needs_shell = quote == 0 ? kNeedsShell.find(c) != std::string_view::npos
                                        : quote == '"' && (c == '$' || c == '`');
    if (needs_shell) return std::nullopt;
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
  return out;
}

Result<NamedRun> record_now(const std::string& text, CommandLine command, double timeout) {
  RecordOptions options{.timeout = timeout, .quiet = true};
  options.command = std::move(command.words);
  options.variables = std::move(command.variables);
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
    return NamedRun{.path = outcome->path, .name = shell_word(place.name)};
  }
}

}  // namespace

Result<CommandLine> read_command(std::string_view text, bool in_shell) {
  TRY(std::optional<std::vector<std::string>> words, split_words(text));
  if (!words || in_shell)
    return CommandLine{.variables = {}, .words = {"/bin/sh", "-c", std::string(text)}};
  CommandLine out{.variables = {}, .words = std::move(*words)};
  const auto program = std::ranges::find_if_not(out.words, is_assignment);
  out.variables.assign(out.words.begin(), program);
  out.words.erase(out.words.begin(), program);
  if (out.words.empty()) return fail("C003", "the command is empty");
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

Result<std::string> recording_or_command(const std::string& text) {
  if (!is_command(text)) return resolve_recording(text);
  TRY(CommandLine command, read_command(text));
  TRY(NamedRun run, record_now(text, std::move(command), 0));
  return std::move(run.path);
}

Result<std::pair<NamedRun, NamedRun>> recordings_or_commands(const std::string& a,
                                                             const std::string& b, double timeout) {
  bool in_shell = false;
  for (const std::string* text : {&a, &b}) {
    if (!is_command(*text)) continue;
    TRY(const CommandLine command, read_command(*text));
    in_shell = in_shell || (command.words.size() == 3 && command.words[0] == "/bin/sh" &&
                            command.words[2] == *text);
  }
  const auto run = [&](const std::string& text) -> Result<NamedRun> {
    if (is_command(text)) {
      TRY(CommandLine command, read_command(text, in_shell));
      return record_now(text, std::move(command), timeout);
    }
    TRY(std::string path, resolve_recording(text));
    return NamedRun{.path = std::move(path), .name = shell_word(text)};
  };
  TRY(NamedRun first, run(a));
  TRY(NamedRun second, run(b));
  return std::pair(std::move(first), std::move(second));
}

}  // namespace twinrun
