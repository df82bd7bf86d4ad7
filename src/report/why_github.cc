// SPDX-License-Identifier: MIT
#include "report/why_github.h"

#include "base/escape.h"
#include "report/why_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace twinrun {
namespace {

/// "%25" for what has a meaning in commands; a runner makes the characters of it again.
std::string percent_encoded(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos)
      out += fmt::format("%{:02X}", static_cast<uint8_t>(c));
    else
      out += c;
  }
  return out;
}

std::string property_value(std::string_view text) {
  return percent_encoded(escape_for_terminal(text), "%\r\n:,");
}

/// The lines of the source that the answer tells of, each once, with all that it says of it.
struct Notice {
  RootPlace at;
  uint32_t finding = 0;
  std::string message;
};

std::vector<Notice> notices_of(const WhyReport& report, const WhyWords& words,
                               const SourceRoot& root) {
  std::vector<Notice> out;
  for (size_t i = 0; i < report.answer.size(); ++i) {
    const WhyReport::Line& line = report.answer[i];
    const auto at = place_below(root, place_of(report, line));
    if (!at || !words.lines[i].is_telling) continue;
    auto notice = std::ranges::find(out, *at, &Notice::at);
    if (notice == out.end()) notice = out.insert(out.end(), Notice{.at = *at});
    if (notice->finding == 0) notice->finding = line.finding;
    std::string text = escape_for_terminal(words.lines[i].whole());
    if (line.kind == WhyReport::Line::Kind::kAside) text.insert(0, "also suspicious: ");
    if (notice->message.find(text) != std::string::npos) continue;
    if (!notice->message.empty()) notice->message += '\n';
    notice->message += text;
  }
  // A runner shows ten notices of a step.
  std::ranges::stable_partition(out, [](const Notice& one) { return one.finding != 0; });
  return out;
}

std::string message_of(const WhyReport& report, const WhyWords& words) {
  std::string out;
  for (const std::string& sentence : words.sentences) out += escape_for_terminal(sentence) + "\n";
  for (const auto& [letter, side, end] :
       {std::tuple('A', &report.a, &words.end_a), {'B', &report.b, &words.end_b}})
    out += fmt::format("{}  {}  {}\n", letter, escape_for_terminal(side->command),
                       escape_for_terminal(*end));
  out.pop_back();
  return out;
}

}  // namespace

std::string workflow_command(std::string_view command, const std::optional<RootPlace>& at,
                             std::string_view title, std::string_view message) {
  std::string out = fmt::format("::{} ", command);
  if (at) out += fmt::format("file={},line={},", property_value(at->file), at->line);
  return out +
         fmt::format("title={}::{}\n", property_value(title), percent_encoded(message, "%\r\n"));
}

std::string why_github(const WhyReport& report, SourceText& sources, const SourceRoot& root) {
  const WhyWords words = why_words(report, sources);
  const std::string message = message_of(report, words);
  if (report.outcome == WhyReport::Outcome::kSame)
    return workflow_command("notice", {}, "twinrun why: the runs do not differ", message);
  const bool is_noise = report.outcome == WhyReport::Outcome::kNoise;
  std::string out =
      workflow_command(is_noise ? "warning" : "error", headline_place(report, sources, root),
                       "twinrun why: the runs differ", message);
  for (const Notice& notice : notices_of(report, words, root)) {
    const std::string title =
        notice.finding == 0 ? "twinrun why" : fmt::format("twinrun why: D{}", notice.finding);
    out += workflow_command("notice", notice.at, title, notice.message);
  }
  return out;
}

}  // namespace twinrun
