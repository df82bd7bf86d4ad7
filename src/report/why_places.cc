// SPDX-License-Identifier: MIT
// Where the answer of `why` is shown beside the source: the lines that its sentences are about, in
// their order, then those of the chain.
#include "report/why_places.h"

#include "report/why_lines.h"
#include "report/why_sentences.h"

namespace twinrun {

std::vector<const NamedInstruction*> headline_places(const WhyReport& report, SourceText& sources) {
  std::vector<const NamedInstruction*> out;
  const auto add = [&](const NamedInstruction* at) {
    if (at != nullptr && at->line != 0) out.push_back(at);
  };
  WhyLines lines(report, sources);
  const WhySentences sentences = why_sentences(report, lines);
  for (const WhySentence* one : sentences.all())
    for (const NamedInstruction* at : one->at) add(at);
  for (const WhyReport::Line& line : report.answer)
    if (line.kind != WhyReport::Line::Kind::kAside && line.run != RunSide::kA)
      add(place_of(report, line));
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
