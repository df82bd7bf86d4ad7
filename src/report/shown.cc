// SPDX-License-Identifier: MIT
#include "report/shown.h"

#include "report/why_words.h"

#include <algorithm>
#include <charconv>

namespace twinrun {
namespace {

Result<Shown> parse(std::string_view id) {
  Shown out;
  const bool has_letter =
      !id.empty() && (id[0] == 'D' || id[0] == 'd' || id[0] == 'N' || id[0] == 'n');
  const std::string_view number = id.substr(has_letter ? 1 : 0);
  const auto end = std::from_chars(number.begin(), number.end(), out.number);
  if (!has_letter || number.empty() || end.ec != std::errc() || end.ptr != number.end())
    return std::unexpected(Error{"C003",
                                 fmt::format("'{}' is neither a finding nor a node", id),
                                 "give D1, D2, ... of the answer, or N0, N1, ... of why --all",
                                 {}});
  out.is_finding = id[0] == 'D' || id[0] == 'd';
  return out;
}

std::string findings_text(const WhyReport& report) {
  std::string out;
  for (const WhyReport::Line& line : report.answer)
    if (line.finding != 0) out += fmt::format("{}D{}", out.empty() ? "" : ", ", line.finding);
  return out;
}

/// Lines that are not on the way but near it belong to no finding.
bool is_aside(const WhyReport::Line& line) { return line.kind == WhyReport::Line::Kind::kAside; }

}  // namespace

Result<Shown> find_shown(const WhyReport& report, SourceText& sources, std::string_view id) {
  TRY(Shown out, parse(id));
  if (report.outcome == WhyReport::Outcome::kSame)
    return std::unexpected(
        Error{"A006", fmt::format("there is no {}", id), verdict_text(report, sources), {}});
  const std::vector<WhyReport::Line>& answer = report.answer;
  if (!out.is_finding) {
    if (out.number >= report.nodes.size())
      return std::unexpected(
          Error{"A006",
                fmt::format("there is no {}", id),
                fmt::format("the graph has {} nodes, from N0 on", report.nodes.size()),
                {}});
    out.nodes.push_back(out.number);
    for (size_t i = 0; i < answer.size(); ++i) {
      if (std::ranges::find(answer[i].nodes, out.number) != answer[i].nodes.end())
        out.lines.push_back(i);
    }
    return out;
  }
  const auto first = std::ranges::find(answer, out.number, &WhyReport::Line::finding);
  if (out.number == 0 || first == answer.end())
    return std::unexpected(Error{
        "A006", fmt::format("there is no {}", id), "the answer has " + findings_text(report), {}});
  for (auto line = first; line != answer.end(); ++line) {
    if (line != first && (line->finding != 0 || is_aside(*line))) break;
    out.lines.push_back(static_cast<size_t>(line - answer.begin()));
    for (const uint32_t node : line->nodes) {
      if (std::ranges::find(out.nodes, node) == out.nodes.end()) out.nodes.push_back(node);
    }
  }
  return out;
}

}  // namespace twinrun
