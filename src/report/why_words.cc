// SPDX-License-Identifier: MIT
// The words of `why`, from its typed report.
//
// One function for each kind of thing that is said: a sentence (why_sentences), a line of the chain
// (why_lines), a note, an input. They switch over the kinds without a default, so that a new kind
// does not compile before it has words. Text, JSON, SARIF and the page take them from here and so
// say the same. Sources are read to quote their lines; whatever comes from a recorded program is
// escaped before it is shown.
#include "report/why_words.h"

#include "explain/answer/statements.h"
#include "report/input_words.h"
#include "report/why_phrases.h"
#include "report/why_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace twinrun {
namespace {

std::string note_text(const WhyReport& report, const WhyNote& note) {
  switch (note.kind) {
    case WhyNote::Kind::kValueOfOneRun:
      return fmt::format("{} has a value in {} only: the other run is not there", note.what.value,
                         note.side == RunSide::kA ? 'A' : 'B');
    case WhyNote::Kind::kOnlyNoise:
      return phrase_of_subject(note.what) +
             " differs only because of time, process numbers or random bytes";
    case WhyNote::Kind::kOnlyNames:
      return phrase_of_subject(note.what) + " differs only because of the names of the input files";
    case WhyNote::Kind::kNotRecorded:
      return fmt::format("{} values that differ came from what was not recorded", note.count);
    case WhyNote::Kind::kPartlyChecked:
      return fmt::format("misuse of memory was looked for in part: {} pointers were not followed",
                         note.count);
    case WhyNote::Kind::kNotChecked:
      return "misuse of memory was not looked for: " + note.what.name;
    case WhyNote::Kind::kFewAligned:
      return fmt::format(
          "only {:.0f}% of B corresponds to A: with runs this different, what is told is uncertain",
          100 * static_cast<double>(report.aligned) /
              static_cast<double>(report.aligned + report.only_b));
  }
  return "";
}

/// What was set beside the pointer that was not, and was used last: where it was forgotten.
std::vector<NamedInstruction> set_beside(const WhyReport& report) {
  std::vector<NamedInstruction> out;
  std::optional<uint32_t> reader;
  for (const WhyReport::Edge& edge : report.edges) {
    const WhyReport::Node& to = report.nodes[edge.to];
    const NamedInstruction* at = site_of(to, RunSide::kB);
    if (!to.is_beside || at == nullptr || reader.value_or(edge.from) != edge.from) continue;
    reader = edge.from;
    out.push_back(*at);
  }
  return out;
}

/// Of the misuse that is told: how its pointer came to be used, and who called.
std::vector<WhyLine> misuse_details(const WhyReport& report, WhyLines& lines) {
  std::vector<WhyLine> out;
  if (report.misuses.empty() || report.misuses.front().is_in_both) return out;
  const Misuse& of = report.misuses.front();
  const auto add = [&](std::string_view what, const std::vector<NamedInstruction>& sites) {
    for (const NamedInstruction& at : sites) {
      out.push_back(lines.site(at));
      out.back().run = what;
    }
  };
  // The head of a function bounds nothing that a reader could see there.
  std::vector<NamedInstruction> bounds;
  std::ranges::copy_if(of.bounds, std::back_inserter(bounds),
                       [&](const NamedInstruction& at) { return lines.is_telling(at); });
  if (of.let_in) add("let in by", {*of.let_in});
  add("bound by", bounds);
  add("pointer by", of.passed);
  if (of.kind == Misuse::Kind::kNull) add("set beside", set_beside(report));
  add("called at", of.callers);
  add("freed for", of.freed_for);
  add("allocated for", of.allocated_for);
  return out;
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& one : sentences) out += (out.empty() ? "" : ". ") + one;
  return out;
}

}  // namespace

std::string verdict_text(const WhyReport& report, SourceText& sources) {
  WhyLines lines(report, sources);
  return joined(why_sentences(report, lines).texts());
}

std::vector<WhyLine> statement_words(const WhyReport& report, SourceText& sources) {
  std::vector<WhyLine> out;
  out.reserve(report.statements.size());
  WhyLines lines(report, sources);
  for (const WhyReport::Statement& one : report.statements) out.push_back(lines.site(one.at));
  return out;
}

WhyWords why_words(const WhyReport& report, SourceText& sources) {
  WhyLines lines(report, sources);
  const WhySentences sentences = why_sentences(report, lines);
  WhyWords out{.end_a = phrase_of_end(report.a.end),
               .end_b = phrase_of_end(report.b.end),
               .sentences = sentences.texts(),
               .told_input = sentences.told};
  out.verdict = joined(out.sentences);
  for (const Misuse& misuse : report.misuses) out.misuses.push_back(phrase_of_misuse(misuse));
  if (report.outcome != WhyReport::Outcome::kSame) {
    const WhyLine target = target_line(report);
    out.target = target.text;
    out.target_a = target.value_a;
    out.target_b = target.value_b;
  }
  for (const InputDifference& one : report.inputs) out.inputs.push_back(input_difference_text(one));
  const bool has_headline = !report.misuses.empty() && !report.misuses.front().is_in_both;
  for (size_t i = has_headline ? 1 : 0; i < out.misuses.size(); ++i)
    out.notes.push_back(out.misuses[i]);
  for (const WhyNote& note : report.notes) out.notes.push_back(note_text(report, note));
  out.details = misuse_details(report, lines);
  for (const uint32_t one : suspects_of(report)) {
    const WhyReport::Statement& statement = report.statements[one];
    if (lines.is_telling(statement.at)) out.suspects.push_back(lines.statement(statement));
  }
  for (const WhyReport::Line& line : report.answer) out.lines.push_back(lines.line(line));
  for (const WhyReport::Line& line : report.left_out) out.left_out.push_back(lines.line(line));
  return out;
}

}  // namespace twinrun
