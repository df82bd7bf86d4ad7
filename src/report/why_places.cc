// SPDX-License-Identifier: MIT
// Where the answer of `why` is shown beside the source: the lines that the sentences of
// why_sentences.cc are about, in their order.
#include "report/why_places.h"

#include "report/why_lines.h"

#include <algorithm>

namespace twinrun {
namespace {

using Line = WhyReport::Line;

/// As suspect_text() has it.
const NamedInstruction* suspect_place(const WhyReport& report, SourceText& sources) {
  constexpr size_t kTried = 3;
  WhyLines lines(report, sources);
  size_t tried = 0;
  for (const WhyReport::Statement& one : report.statements) {
    if (one.at.line == 0 || !report.is_own(one.at.module)) continue;
    if (++tried > kTried) break;
    const bool is_only_b = one.times_a == 0 && one.times_b != 0;
    if ((one.has_new_way || is_only_b) && lines.is_telling(one.at)) return &one.at;
  }
  return nullptr;
}

/// Where the second run died or goes round.
const NamedInstruction* end_place(const WhyReport& report) {
  if (report.target_kind != Target::Kind::kCrash && report.target_kind != Target::Kind::kHang)
    return nullptr;
  for (const Line& line : report.answer) {
    const bool is_crash_site = line.kind == Line::Kind::kSite && line.run == RunSide::kB &&
                               report.target_kind == Target::Kind::kCrash;
    if (line.kind == Line::Kind::kPlace || is_crash_site) return place_of(report, line);
  }
  return nullptr;
}

}  // namespace

const NamedInstruction* place_of(const WhyReport& report, const Line& line) {
  for (const uint32_t number : line.nodes) {
    const WhyReport::Node& node = report.nodes[number];
    // The program's call says more than a place in a library.
    const auto* const a = node.caller_a ? &node.caller_a : &node.a;
    const auto* const b = node.caller_b ? &node.caller_b : &node.b;
    const auto* const first = line.run == RunSide::kA ? a : b;
    const auto* const second = !line.run ? a : first;
    for (const auto* at : {first, second})
      if (*at && (*at)->line != 0) return &**at;
  }
  return nullptr;
}

std::vector<const NamedInstruction*> headline_places(const WhyReport& report, SourceText& sources) {
  std::vector<const NamedInstruction*> out;
  const auto add = [&](const NamedInstruction* at) {
    if (at != nullptr && at->line != 0) out.push_back(at);
  };
  const bool has_misuse = !report.misuses.empty() && !report.misuses.front().is_in_both;
  const Misuse* const misuse = has_misuse ? &report.misuses.front() : nullptr;
  const auto add_misuse = [&] {
    add(&misuse->at);
    for (const NamedInstruction& caller : misuse->callers) add(&caller);
  };
  if (misuse != nullptr && !misuse->is_symptom()) add_misuse();
  const auto wrong = std::ranges::find_if(report.answer, &Line::is_first_wrong);
  if (wrong != report.answer.end()) add(place_of(report, *wrong));
  if (misuse != nullptr && misuse->is_symptom()) add_misuse();
  if (misuse == nullptr) add(end_place(report));
  if (misuse == nullptr && report.gave_up) add(&*report.gave_up);
  add(suspect_place(report, sources));
  for (const Line& line : report.answer)
    if (line.kind != Line::Kind::kAside && line.run != RunSide::kA) add(place_of(report, line));
  return out;
}

std::optional<RootPlace> place_below(const SourceRoot& root, const NamedInstruction* at) {
  if (at == nullptr || at->line == 0) return std::nullopt;
  const auto file = root.inside(at->file);
  if (!file) return std::nullopt;
  return RootPlace{*file, at->line, at->function};
}

std::optional<RootPlace> headline_place(const WhyReport& report, SourceText& sources,
                                        const SourceRoot& root) {
  for (const NamedInstruction* at : headline_places(report, sources))
    if (auto place = place_below(root, at)) return place;
  return std::nullopt;
}

}  // namespace twinrun
