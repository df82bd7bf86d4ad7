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
#include "explain/inputs/noise.h"
#include "report/input_words.h"
#include "report/why_end.h"
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

std::string cut(std::string text) { return cut_value(std::move(text), kTextMost); }

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
    case Sameness::Kind::kEnds:
      return fmt::format("No difference: {}: {}",
                         same.b.end.kind == HowEnded::Kind::kStopped ? "neither run ended by itself"
                                                                     : "both runs ended alike",
                         same.b.end.text);
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

std::string started_text(const InputDifference& of) {
  const PairOfPhrases values = phrases_of_started(of);
  const std::string name = phrase_of_started(of);
  if (!of.value_a) return fmt::format("{} is {} in B and {} in A", name, cut(values.b), values.a);
  if (!of.value_b) return fmt::format("{} is {} in A and {} in B", name, cut(values.a), values.b);
  return fmt::format("{} is {} in A, {} in B", name, cut(values.a), cut(values.b));
}

/// The same of any difference in what the runs were given.
std::string given_text(const InputDifference& of) {
  using enum InputDifference::Kind;
  return of.kind == kArgument || of.kind == kVariable ? started_text(of)
                                                      : input_difference_text(of);
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
  return fmt::format("{} has {}; {} line {}, column {} has {}", where, word_text(in_b),
                     a == b ? "in A" : a + ",", in_a.line, in_a.column, word_text(in_a));
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

/// The headline will name something that somebody gave the runs.
bool names_input(const WhyReport& report) {
  if (report.headline.kind != WhyReport::Headline::Kind::kInput) return false;
  const Node& input = report.nodes[report.headline.node];
  const auto given = [](const std::optional<OutsideSource>& source) {
    return source && is_given(*source);
  };
  return given(input.source_a) && given(input.source_b) &&
         (started_with(report, input) || tells_input(input) || !input.source_b->input.empty());
}

class Because {
 public:
  Because(const WhyReport& report, WhySentences& out) : report_(report), out_(out) {}

  std::string text() {
    using Comes = WhyReport::Headline::Kind;
    // The way out of main() is nobody's.
    const auto place = [&](std::string_view at) {
      const NamedInstruction& site = *site_of(report_.nodes[report_.headline.node]);
      return is_start(site) ? std::string() : fmt::format("{}{}", at, phrase_of_place(site));
    };
    switch (report_.headline.kind) {
      case Comes::kNone: return "";
      case Comes::kSame: return same_text(report_.same);
      case Comes::kInput: return input_text(report_.nodes[report_.headline.node]);
      case Comes::kCut:
        return with_given("The search ended at its limit (--budget, --limit)" + place(", at "));
      case Comes::kNoInput: return without_trail(place);
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
                       given_text(report_.inputs[*given]));
  }

  /// Where the way ended at no input at all.
  template <typename Place>
  std::string without_trail(const Place& place) {
    const auto given = given_difference(report_);
    if (!given)
      return fmt::format("They part{}, and not by anything that they were given", place(" at "));
    out_.told = given;
    const std::string end = place("; how that led to ");
    return fmt::format("They were given different input: {}{}", given_text(report_.inputs[*given]),
                       end.empty() ? "" : end + " is not known");
  }

  /// What only one of the runs was given, at the end of the way: the other one has nothing to hold
  /// against it but what it was given instead.
  std::string given_alone(const Node& input) {
    if (const auto given = given_difference(report_)) {
      out_.told = given;
      return "They were given different input: " + given_text(report_.inputs[*given]);
    }
    return fmt::format("Only {} was given {}", input.source_a ? 'A' : 'B',
                       phrase_of_source(input.source_a ? input.source_a : input.source_b));
  }

  std::string input_text(const Node& input) {
    if (!input.source_a || !input.source_b) return given_alone(input);
    if (const auto told = started_with(report_, input)) {
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
    // Of another process than the first, whose arguments nobody compared.
    if (a == kStartedWith || b == kStartedWith)
      return fmt::format(
          "They differ because process {} was started with other {}",
          (b == kStartedWith ? input.source_b : input.source_a)->position.process.value,
          "arguments or variables");
    const PairOfPhrases values = input_values(report_, report_.headline.node);
    if (values.a.empty() || values.b.empty())
      return a == b ? fmt::format("They differ because of {}", b)
                    : fmt::format("They differ because of {} (A: {})", b, a);
    return "They differ because " + brought_text(input, a, values.a, b, values.b);
  }

  /// What the two inputs brought: "bad.bin, byte 3 has 2 where good.bin has 1".
  static std::string brought_text(const Node& input, const std::string& a,
                                  const std::string& value_a, const std::string& b,
                                  const std::string& value_b) {
    const std::string of_a = cut(value_a);
    const std::string of_b = cut(value_b);
    const std::string verb = brings(b);
    if (input.source_a->kind == OutsideSource::Kind::kUnseen)
      return fmt::format("{} {} {} in B; what A has there ({}) was not recorded", b, verb, of_b,
                         of_a);
    if (reads_count(input.source_a) && reads_count(input.source_b))
      return fmt::format("B reads {}{}, A {}{}", of_b, of_what(*input.source_b), of_a,
                         of_what(*input.source_a));
    if (a == b) return fmt::format("{} {} {} in A, {} in B", b, verb, of_a, of_b);
    const bool are_files = verb == "is" && brings(a) == verb && input.source_a->field.empty();
    if (!are_files)
      return fmt::format("{} {} {} in B; in A {} {} {}", b, verb, of_b, a, brings(a), of_a);
    const bool is_same_place = input.source_a->offset == input.source_b->offset;
    return fmt::format("{} has {} where {} has {}", b, of_b,
                       is_same_place ? input.source_a->input : a, of_a);
  }

  static std::string of_what(const OutsideSource& source) {
    return source.input.empty() ? "" : " of " + source.input;
  }

  static std::string brings(const std::string& source) {
    if (source.ends_with(')')) return "gives";
    return source == "a pipe" || source == "a socket" ? "brings" : "is";
  }

  const WhyReport& report_;
  WhySentences& out_;
};

// ---- what went wrong ----

const Line* first_wrong(const WhyReport& report) {
  const auto found = std::ranges::find_if(report.answer, &Line::is_first_wrong);
  return found == report.answer.end() ? nullptr : &*found;
}

std::string values_of(const WhyReport& report, const Edge& edge) {
  const std::string a = phrase_of_value(edge.value_a);
  const std::string b = phrase_of_value(edge.value_b);
  const std::string name = name_of_state(report, edge);
  if (a == b || a == "?" || b == "?") return name + " differs";
  return fmt::format("{} is {} in B, {} in A", name, cut(b), cut(a));
}

/// "only B frees, at cache.c:31, what is used at cache.c:50", or
/// "c->port is NULL in B, "8080" in A: A writes it at ini.c:14, B does not".
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
  const std::string values = values_of(report, edge);
  if (node.type == DivergenceType::kExecutionOmission && a != nullptr) {
    const std::optional<NamedInstruction>& user = report.nodes[edge.from].b;
    const bool is_of_thread = user && node.a && !node.b &&
                              user->position.process == node.a->position.process &&
                              user->position.thread != node.a->position.thread;
    if (is_of_thread)
      return fmt::format("{}: in B thread {} uses it before thread {} writes it at {}", values,
                         user->position.thread.value, node.a->position.thread.value,
                         phrase_of_place(*a));
    return fmt::format("{}: A writes it at {}, B does not", values, phrase_of_place(*a));
  }
  if (node.type == DivergenceType::kExtraExecution && b != nullptr)
    return fmt::format("{}: B writes it at {}, A does not", values, phrase_of_place(*b));
  if (a == nullptr || b == nullptr) return values;
  if (same_site(*a, *b)) return fmt::format("{}: both write it at {}", values, phrase_of_place(*b));
  return fmt::format("{}: written at {} in B, at {} in A", values, phrase_of_place(*b),
                     phrase_of_place(*a));
}

bool names_place(std::string_view text, std::string_view place) {
  const size_t at = text.find(place);
  if (at == std::string_view::npos) return false;
  const size_t end = at + place.size();
  return end == text.size() || text[end] < '0' || text[end] > '9';
}

/// What is most likely wrong, when B did something there that A never does.
/// `told` is a sentence that may name the place already.
WhySentence suspect_sentence(const WhyReport& report, const std::string& told, bool has_input,
                             WhyLines& lines) {
  const auto first = std::ranges::find(report.answer, Line::Kind::kPlace, &Line::kind);
  const NamedInstruction* shown =
      first == report.answer.end() ? nullptr : site_of(report.nodes[first->nodes.front()]);
  size_t tried = 0;
  for (const WhyReport::Statement& one : report.statements) {
    if (one.at.line == 0 || !report.is_own(one.at.module)) continue;
    if (++tried > kSuspectsTried) break;
    const bool is_only_b = one.times_a == 0 && one.times_b != 0;
    if ((!one.has_new_way && !is_only_b) || !lines.is_telling(one.at)) continue;
    // Where the difference shows is told below, and is rarely what is wrong.
    if (has_input && shown != nullptr && same_site(one.at, *shown)) continue;
    const WhyLine line = lines.statement(one);
    if (names_place(told, line.place)) continue;
    return {fmt::format("Most suspicious: {}  {}  ({})", line.place, cut(line.text), line.remark),
            {&one.at}};
  }
  return {};
}

}  // namespace

std::vector<const WhySentence*> WhySentences::all() const {
  std::vector<const WhySentence*> out;
  for (const WhySentence* one : {&misuse, &state, &end, &suspect, &because})
    if (!one->empty()) out.push_back(one);
  return out;
}

std::vector<std::string> WhySentences::texts() const {
  std::vector<std::string> out;
  for (const WhySentence* one : all()) out.push_back(one->text);
  return out;
}

WhySentences why_sentences(const WhyReport& report, WhyLines& lines) {
  WhySentences out;
  const Line* wrong = first_wrong(report);
  if (wrong != nullptr) out.state = {state_text(report, *wrong), {place_of(report, *wrong)}};
  const bool has_misuse = !report.misuses.empty() && !report.misuses.front().is_in_both;
  if (has_misuse) {
    const Misuse& misuse = report.misuses.front();
    if (!misuse.is_symptom()) {
      out.misuse = {phrase_of_misuse(misuse), sites_of(misuse)};
      // The same event: what was overwritten.
      const NamedInstruction* b =
          wrong == nullptr ? nullptr : site_of(report.nodes[wrong->nodes.front()], RunSide::kB);
      if (b != nullptr && same_site(*b, misuse.at)) {
        out.misuse.text += "; " + values_of(report, report.edges[*wrong->edge]);
        out.state = {};
      }
    }
  }
  out.end = end_sentence(report, lines);
  const bool has_input = names_input(report);
  if (out.misuse.empty() && out.state.empty())
    out.suspect = suspect_sentence(report, out.end.text, has_input, lines);
  out.because = {Because(report, out).text(), {}};
  return out;
}

}  // namespace twinrun
