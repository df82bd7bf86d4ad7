// SPDX-License-Identifier: MIT
// The first lines of an answer, which are worth the rest of it: what went wrong, then what for.
//
// The byte of the input that differs is only the trigger. What people look for is the first state
// that is wrong, or what was done to memory that no program may do, and the line that did it. So
// that comes first, and the input last.
#include "report/why_sentences.h"

#include "base/escape.h"
#include "base/text.h"
#include "explain/answer/statements.h"
#include "report/input_words.h"
#include "report/why_phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace twinrun {
namespace {

using Node = WhyReport::Node;
using Edge = WhyReport::Edge;
using Line = WhyReport::Line;

constexpr size_t kTextMost = 60;  // of a value, or a line of the source, in a sentence
constexpr size_t kSuspectsTried = 3;

std::string cut(std::string text) { return cut_text(std::move(text), kTextMost); }

// ---- in what the runs do not differ ----

/// A byte that was asked for.
std::string byte_text(const std::string& bytes) {
  const auto byte = static_cast<uint8_t>(bytes.empty() ? 0 : bytes[0]);
  return byte >= ' ' && byte < 0x7f ? fmt::format("'{}'", static_cast<char>(byte))
                                    : fmt::format("{:#04x}", byte);
}

std::string same_subject_text(const Sameness& same) {
  if (same.what.kind == TargetSubject::Kind::kUses)
    return fmt::format("No difference at {}#{}: both runs execute it with the same values{}",
                       same.what.name, same.what.number,
                       same.instruction.empty() ? "" : fmt::format(" ({})", same.instruction));
  return fmt::format("No difference: {} is the same in both runs: {}", phrase_of_subject(same.what),
                     same.b.kind == TargetValue::Kind::kBytes
                         ? byte_text(same.b.text)
                         : phrase_of_target_value(same.what, same.b));
}

std::string same_text(const Sameness& same) {
  switch (same.kind) {
    case Sameness::Kind::kAll:
      return "No difference: both runs ended alike, wrote the same, and took the same way";
    case Sameness::Kind::kSubject: return same_subject_text(same);
    case Sameness::Kind::kEnds: return "No difference: both runs ended alike: " + same.b.end.text;
    case Sameness::Kind::kNotEnded:
      return fmt::format("No difference: neither run ended by itself (A: {}, B: {})",
                         same.a.end.text, same.b.end.text);
  }
  return "";
}

// ---- the input ----

/// The first thing that somebody gave the runs and that is not the same: rather contents than names
/// of files, rather these than the environment.
std::optional<size_t> given_difference(const WhyReport& report) {
  using enum InputDifference::Kind;
  for (const auto kind : {kFile, kArgument, kFailed, kOpened, kVariable, kDirectory}) {
    const auto found = std::ranges::find(report.inputs, kind, &InputDifference::kind);
    if (found != report.inputs.end()) return static_cast<size_t>(found - report.inputs.begin());
  }
  return std::nullopt;
}

/// An argument or a variable of the environment that is not the same. What is no text of one of
/// them is how many there are, or where they begin.
std::optional<size_t> started_with(const WhyReport& report, const OutsideSource& source) {
  using enum InputDifference::Kind;
  // Of the first process: of another one they are what its parent gave it.
  if (source.kind != OutsideSource::Kind::kStartup || source.position.process != ProcessId{1})
    return std::nullopt;
  const bool is_of_all = !source.offset;
  for (size_t i = 0; i < report.inputs.size(); ++i) {
    const InputDifference& one = report.inputs[i];
    if (one.kind == kArgument && (is_of_all || one.name_b == source.input)) return i;
    if (one.kind == kVariable &&
        (is_of_all || "environment variable " + one.name_b == source.input))
      return i;
  }
  return std::nullopt;
}

std::string started_text(const InputDifference& of) {
  const bool is_variable = of.kind == InputDifference::Kind::kVariable;
  const std::string name =
      fmt::format("{}{}", is_variable ? "environment variable " : "", of.name_b);
  const std::string_view nothing = is_variable ? "not set" : "not given";
  const auto text = [](const std::string& value) {
    return '"' + escape_for_terminal(cut(value)) + '"';
  };
  if (!of.value_a)
    return fmt::format("{} is {} in B and {} in A", name, text(*of.value_b), nothing);
  if (!of.value_b)
    return fmt::format("{} is {} in A and {} in B", name, text(*of.value_a), nothing);
  return fmt::format("{} is {} in A, {} in B", name, text(*of.value_a), text(*of.value_b));
}

std::string word_text(const TextPlace& of) {
  return of.word.empty() ? "the end of the line" : '"' + escape_for_terminal(of.word) + '"';
}

/// `bad.ini, line 3, column 2 has "prot = 8080" where good.ini has "port = 8080"`.
std::string file_text(const std::string& a, const TextPlace& in_a, const std::string& b,
                      const TextPlace& in_b) {
  const bool is_same_place = in_a.line == in_b.line && in_a.column == in_b.column;
  const std::string where = fmt::format("{}, line {}, column {}", b, in_b.line, in_b.column);
  if (is_same_place)
    return fmt::format("{} has {} where {} has {}", where, word_text(in_b), a == b ? "A" : a,
                       word_text(in_a));
  return fmt::format("{} has {}; {}, line {}, column {} has {}", where, word_text(in_b),
                     a == b ? "in A it" : a, in_a.line, in_a.column, word_text(in_a));
}

/// The input by itself says which byte of what differs, or which file could not be had.
bool tells_input(const Node& input) {
  const auto tells = [](const std::optional<OutsideSource>& source) {
    if (!source) return false;
    // What another process than the first was started with somebody gave it, who is not told.
    if (source->kind == OutsideSource::Kind::kStartup && source->position.process != ProcessId{1})
      return false;
    return (source->offset && !source->input.empty()) || !source->field.empty() ||
           source->kind == OutsideSource::Kind::kAnchor ||
           source->kind == OutsideSource::Kind::kLate || !phrase_of_failure(source).empty();
  };
  return tells(input.source_a) || tells(input.source_b);
}

class Because {
 public:
  Because(const WhyReport& report, WhySentences& out) : report_(report), out_(out) {}

  std::string text() {
    using Comes = WhyReport::Headline::Kind;
    const auto place = [&] {
      return phrase_of_place(*site_of(report_.nodes[report_.headline.node]));
    };
    switch (report_.headline.kind) {
      case Comes::kNone: return "";
      case Comes::kSame: return same_text(report_.same);
      case Comes::kInput: return input_text(report_.nodes[report_.headline.node]);
      case Comes::kCut:
        return with_given(
            fmt::format("The search ended at its limit (--budget, --limit), at {}", place()));
      case Comes::kNoInput: return with_given(fmt::format("They part at {}", place()));
    }
    return "";
  }

 private:
  /// Where the way ended at no input that says something by itself. Runs that differ were given
  /// something that does, which is true whatever the graph has.
  std::string with_given(const std::string& text) {
    const auto given = given_difference(report_);
    if (!given) return text;
    out_.told = given;
    return fmt::format("{}; they were given different input: {}", text,
                       input_difference_text(report_.inputs[*given]));
  }

  /// What only one of the runs was given, at the end of the way: the other one has nothing to hold
  /// against it but what it was given instead.
  std::string given_text(const Node& input) {
    if (const auto given = given_difference(report_)) {
      out_.told = given;
      return "They were given different input: " + input_difference_text(report_.inputs[*given]);
    }
    return fmt::format("Only {} was given {}", input.source_a ? 'A' : 'B',
                       phrase_of_source(input.source_a ? input.source_a : input.source_b));
  }

  std::string input_text(const Node& input) {
    if (!input.source_a || !input.source_b) return given_text(input);
    if (const auto told = started_with(report_, *input.source_b)) {
      out_.told = told;
      return "They differ because " + started_text(report_.inputs[*told]);
    }
    if (report_.headline.text_a && report_.headline.text_b) return text_of_files(input);
    std::string text = values_text(input);
    return tells_input(input) ? text : with_given(text);
  }

  std::string text_of_files(const Node& input) {
    const std::string& a = input.source_a->input;
    const std::string& b = input.source_b->input;
    const auto known = std::ranges::find_if(report_.inputs, [&](const InputDifference& one) {
      return one.kind == InputDifference::Kind::kFile && one.name_a == a && one.name_b == b &&
             one.line == report_.headline.text_b->line;
    });
    if (known != report_.inputs.end())
      out_.told = static_cast<size_t>(known - report_.inputs.begin());
    return "They differ because " +
           file_text(a, *report_.headline.text_a, b, *report_.headline.text_b);
  }

  std::string values_text(const Node& input) const {
    const auto given = [](const std::optional<OutsideSource>& source,
                          const std::optional<NamedInstruction>& at) {
      const bool has_place = source->kind == OutsideSource::Kind::kAnchor && at;
      if (!has_place) return phrase_of_source(source);
      return fmt::format("what {} wrote in front of the anchor", phrase_of_place(*at));
    };
    const std::string a = given(input.source_a, input.caller_a ? input.caller_a : input.a);
    const std::string b = given(input.source_b, input.caller_b ? input.caller_b : input.b);
    const std::string failure_a = phrase_of_failure(input.source_a);
    const std::string failure_b = phrase_of_failure(input.source_b);
    if (failure_a != failure_b) {
      const auto outcome = [](const std::string& failure) {
        return failure.empty() ? "succeeds" : failure;
      };
      const std::string there = a == b ? "in A it" : "in A " + a;
      return fmt::format("They differ because {} {} in B; {} {}", b, outcome(failure_b), there,
                         outcome(failure_a));
    }
    const PairOfPhrases values = input_values(report_, report_.headline.node);
    if (values.a.empty() || values.b.empty())
      return fmt::format("They differ because of {} (A: {})", b, a);
    const std::string of_a = cut(values.a);
    const std::string of_b = cut(values.b);
    if (a == b) return fmt::format("They differ because {} is {} in A, {} in B", b, of_a, of_b);
    return fmt::format("They differ because {} is {} in B; in A {} is {}", b, of_b, a, of_a);
  }

  const WhyReport& report_;
  WhySentences& out_;
};

// ---- what went wrong ----

const Line* first_wrong(const WhyReport& report) {
  const auto found = std::ranges::find_if(report.answer, &Line::is_first_wrong);
  return found == report.answer.end() ? nullptr : &*found;
}

std::string values_of(const Edge& edge) {
  const std::string a = phrase_of_value(edge.value_a);
  const std::string b = phrase_of_value(edge.value_b);
  if (a == b || a == "?" || b == "?") return edge.name + " differs";
  return fmt::format("{} is {} in B, {} in A", edge.name, cut(b), cut(a));
}

/// "only B frees, at cache.c:31, what is used at cache.c:50", or
/// "c->port is NULL in B, "8080" in A: only A comes to ini.c:14, which writes it".
std::string state_text(const WhyReport& report, const Line& line) {
  const Edge& edge = report.edges[*line.edge];
  const Node& node = report.nodes[line.nodes.front()];
  const NamedInstruction* a = site_of(node, RunSide::kA);
  const NamedInstruction* b = site_of(node, RunSide::kB);
  if (edge.freed_by) {
    const NamedInstruction* const freed = *edge.freed_by == RunSide::kA ? a : b;
    const NamedInstruction* const used = site_of(report.nodes[edge.from]);
    if (freed == nullptr || used == nullptr) return "";
    return fmt::format("only {} frees, at {}, what is used at {}",
                       *edge.freed_by == RunSide::kA ? "A" : "B", phrase_of_place(*freed),
                       phrase_of_place(*used));
  }
  const std::string values = values_of(edge);
  if (node.type == DivergenceType::kExecutionOmission && a != nullptr) {
    const std::optional<NamedInstruction>& user = report.nodes[edge.from].b;
    const bool is_of_thread = user && node.a && !node.b &&
                              user->position.process == node.a->position.process &&
                              user->position.thread != node.a->position.thread;
    if (is_of_thread)
      return fmt::format("{}: in B thread {} uses it before thread {} has written it, at {}",
                         values, user->position.thread.value, node.a->position.thread.value,
                         phrase_of_place(*a));
    return fmt::format("{}: only A comes to {}, which writes it", values, phrase_of_place(*a));
  }
  if (node.type == DivergenceType::kExtraExecution && b != nullptr)
    return fmt::format("{}: only B comes to {}, which writes it", values, phrase_of_place(*b));
  if (a == nullptr || b == nullptr) return values;
  if (same_site(*a, *b)) return fmt::format("{}: written at {}", values, phrase_of_place(*b));
  return fmt::format("{}: written at {} in B, at {} in A", values, phrase_of_place(*b),
                     phrase_of_place(*a));
}

/// How B died, when that is no misuse of memory, or where it goes round.
std::string end_text(const WhyReport& report, WhyLines& lines) {
  const bool is_crash = report.target_kind == Target::Kind::kCrash;
  const bool is_hang = report.target_kind == Target::Kind::kHang;
  const bool is_of_b = report.target_b.kind == TargetValue::Kind::kEnd &&
                       report.target_b.end.kind != HowEnded::Kind::kExited;
  if ((!is_crash && !is_hang) || !is_of_b) return "";
  for (const Line& line : report.answer) {
    // Where a loop is left is what both runs did, where it stood when it was stopped is chance.
    const bool is_told = line.kind == Line::Kind::kPlace ||
                         (is_crash && line.kind == Line::Kind::kSite && line.run == RunSide::kB);
    if (!is_told) continue;
    const NamedInstruction* at = site_of(report.nodes[line.nodes.front()], RunSide::kB);
    if (at == nullptr || at->line == 0) return "";
    const WhyLine site = lines.site(*at);
    if (is_hang)
      return fmt::format("B does not come out of the loop at {}  {}", site.place, cut(site.text));
    return fmt::format("B was {} at {}  {}", report.target_b.end.text, site.place, cut(site.text));
  }
  return "";
}

/// What is most likely wrong, when B did something there that A never does.
std::string suspect_text(const WhyReport& report, WhyLines& lines) {
  size_t tried = 0;
  for (const WhyReport::Statement& one : report.statements) {
    if (one.at.line == 0 || !report.is_own(one.at.module)) continue;
    if (++tried > kSuspectsTried) break;
    const bool is_only_b = one.times_a == 0 && one.times_b != 0;
    if ((!one.has_new_way && !is_only_b) || !lines.is_telling(one.at)) continue;
    const WhyLine line = lines.statement(one);
    return fmt::format("Most suspicious: {}  {}  ({})", line.place, cut(line.text), line.remark);
  }
  return "";
}

}  // namespace

std::vector<std::string> WhySentences::all() const {
  std::vector<std::string> out;
  for (const std::string* one : {&misuse, &state, &end, &suspect, &because})
    if (!one->empty()) out.push_back(*one);
  return out;
}

WhySentences why_sentences(const WhyReport& report, WhyLines& lines) {
  WhySentences out;
  const Line* wrong = first_wrong(report);
  if (wrong != nullptr) out.state = state_text(report, *wrong);
  const bool has_misuse = !report.misuses.empty() && !report.misuses.front().is_in_both;
  if (has_misuse) {
    const Misuse& misuse = report.misuses.front();
    std::string text = phrase_of_misuse(misuse);
    if (misuse.is_symptom()) {
      out.end = std::move(text);
    } else {
      out.misuse = std::move(text);
      // The same event: what was overwritten.
      const NamedInstruction* b =
          wrong == nullptr ? nullptr : site_of(report.nodes[wrong->nodes.front()], RunSide::kB);
      if (b != nullptr && same_site(*b, misuse.at)) {
        out.misuse += "; " + values_of(report.edges[*wrong->edge]);
        out.state.clear();
      }
    }
  }
  if (out.end.empty() && !has_misuse) out.end = end_text(report, lines);
  if (out.misuse.empty() && out.state.empty()) out.suspect = suspect_text(report, lines);
  out.because = Because(report, out).text();
  return out;
}

}  // namespace twinrun
