// SPDX-License-Identifier: MIT
// The lines of the answer of `why`, in parts that text puts into columns and JSON into fields.
#include "report/why_lines.h"

#include "base/escape.h"
#include "base/text.h"
#include "explain/answer/statements.h"
#include "report/why_phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

namespace twinrun {
namespace {

using Node = WhyReport::Node;
using Line = WhyReport::Line;
using Statement = WhyReport::Statement;

std::string plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void add_remark(WhyLine& line, std::string_view remark) {
  if (remark.empty()) return;
  if (!line.remark.empty()) line.remark += ", ";
  line.remark += remark;
}

std::string place_name(const TargetSubject& of) {
  return of.number == 0 ? fmt::format("step {} of B", of.name)
                        : fmt::format("{}#{}", of.name, of.number);
}

/// What the executions of a line say against it.
std::string_view suspicion_text(const Statement& one) {
  if (one.is_beside) return "writes beside a pointer that is NULL in B, and not that one";
  if (one.has_new_way) return "B goes a way here that A never does";
  if (one.times_a == 0 && one.times_b != 0) return "only B executes it";
  return "";
}

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

std::string_view first_word(std::string_view line) {
  size_t end = 0;
  while (end < line.size() && is_word(line[end])) ++end;
  return line.substr(0, end);
}

/// Words that begin a statement, so that what looks like a declaration is none.
bool begins_statement(std::string_view word) {
  static constexpr std::array<std::string_view, 18> kWords{
      "if",    "else", "for",      "while", "do",  "switch", "case",   "default",   "return",
      "break", "goto", "continue", "throw", "try", "catch",  "delete", "co_return", "co_yield"};
  return std::ranges::find(kWords, word) != kWords.end();
}

bool defines_type(std::string_view word) {
  static constexpr std::array<std::string_view, 7> kWords{"struct",  "class",    "union",    "enum",
                                                          "typedef", "template", "namespace"};
  return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace

bool does_something(std::string_view line) {
  // Without attributes in front, and what stands in comments behind.
  if (line.starts_with("__attribute__")) {
    const size_t end = line.find("))");
    if (end == std::string_view::npos) return false;
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(" )", end)));
  }
  line = line.substr(0, line.find("//"));
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  if (std::ranges::none_of(line, is_word)) return false;  // "{", "});"
  const std::string_view word = first_word(line);
  const std::string_view rest = line.substr(word.size());
  if (word == "else" || word == "do" || word == "try") return std::ranges::any_of(rest, is_word);
  if (line.front() == '}' && line.find("while") == std::string_view::npos)
    return line.find('(') != std::string_view::npos || line.find('=') != std::string_view::npos;
  if (begins_statement(word)) return true;
  const bool has_value = line.find('=') != std::string_view::npos;
  // "int n, *p;": words and stars, no call, nothing that is stored.
  const bool is_ended = line.ends_with(';');
  const auto is_of_declaration = [](char c) {
    return is_word(c) || std::string_view(" \t*&,:<>[];").find(c) != std::string_view::npos;
  };
  const bool shifts =
      line.find("<<") != std::string_view::npos || line.find(">>") != std::string_view::npos;
  if (is_ended && !has_value && !shifts && std::ranges::all_of(line, is_of_declaration))
    return rest.find_first_not_of(" \t*&:<>;") == std::string_view::npos ||
           rest.find_first_of(" \t") == std::string_view::npos;
  if (has_value) return true;
  if (defines_type(word)) return false;
  if (line.find(';') != std::string_view::npos) return true;
  // "static int twice(int n) {": a type in front of a name with arguments, and a body.
  const size_t open = line.find('(');
  const bool has_body = line.ends_with('{') || line.ends_with(')');
  if (open == std::string_view::npos || !has_body) return true;
  std::string_view head = line.substr(0, open);
  while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  const size_t name =
      head.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_~:");
  const bool has_type =
      name != std::string_view::npos && name + 1 < head.size() &&
      std::string_view(" *&>").find(head[name]) != std::string_view::npos &&
      std::ranges::all_of(head, [](char c) {
        return is_word(c) || std::string_view(" *&:<>,~").find(c) != std::string_view::npos;
      });
  return !has_type;
}

std::string phrase_of_subject(const TargetSubject& of) {
  switch (of.kind) {
    case TargetSubject::Kind::kExitStatus: return "exit status";
    case TargetSubject::Kind::kEndOfProgram: return "end of the program";
    case TargetSubject::Kind::kEndOfRecording: return "end of the recording";
    case TargetSubject::Kind::kOutputByte: return fmt::format("{}, byte {}", of.name, of.number);
    case TargetSubject::Kind::kDivergence: return "first divergence";
    case TargetSubject::Kind::kExecution: return place_name(of);
    case TargetSubject::Kind::kUses: return place_name(of) + " uses different values";
    case TargetSubject::Kind::kValue: return fmt::format("{} at {}", of.value, place_name(of));
  }
  return "";
}

std::string phrase_of_target_value(const TargetSubject& of, const TargetValue& value) {
  switch (value.kind) {
    case TargetValue::Kind::kUntold: return "";
    case TargetValue::Kind::kNothing: return "nothing";
    case TargetValue::Kind::kEnd:
      return of.kind == TargetSubject::Kind::kExitStatus ? fmt::format("{}", value.end.status)
                                                         : value.end.text;
    case TargetValue::Kind::kBytes: return '"' + escape_for_terminal(value.text) + '"';
    case TargetValue::Kind::kExecuted: return "executed";
    case TargetValue::Kind::kNotExecuted: return "not executed";
    case TargetValue::Kind::kText:
      return value.text.empty() ? "not known" : phrase_of_value(value.text);
  }
  return "";
}

const NamedInstruction* place_of(const WhyReport& report, const WhyReport::Line& line) {
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

WhyLine target_line(const WhyReport& report) {
  return {.text = phrase_of_subject(report.target),
          .value_a = phrase_of_target_value(report.target, report.target_a),
          .value_b = phrase_of_target_value(report.target, report.target_b)};
}

std::string WhyLine::values() const {
  if (!has_values()) return "";
  return fmt::format("{}{}{} | {}", name, name.empty() ? "" : " = ", value_a, value_b);
}

std::string WhyLine::remarks() const {
  return remark + (remark.empty() || left_out.empty() ? "" : ", ") + left_out;
}

std::string WhyLine::what() const {
  std::string out = run;
  for (const std::string* part : {&place, &text})
    if (!part->empty()) out += (out.empty() ? "" : "  ") + *part;
  return out;
}

std::string WhyLine::whole() const {
  std::string out = what();
  if (has_values()) out += "  " + values();
  if (has_remark()) out += fmt::format("  ({})", remarks());
  if (is_first_wrong) out += "  <-- first wrong state";
  return out;
}

WhyLine WhyLines::site(const NamedInstruction& at) {
  WhyLine out{.place = phrase_of_place(at), .text = std::string(sources_.line(at.file, at.line))};
  if (out.text.empty() && at.line == 0) out.text = at.text;
  out.file = at.file;
  out.line = at.line;
  return out;
}

bool WhyLines::is_telling(const NamedInstruction& at) {
  const std::string_view text = sources_.line(at.file, at.line);
  return text.empty() || does_something(text);
}

WhyLine WhyLines::statement(const Statement& of) {
  WhyLine out = site(of.at);
  add_remark(out, suspicion_text(of));
  return out;
}

WhyLine WhyLines::aside(const Line& of) {
  // The first one that says something stands for them.
  std::vector<uint32_t> told;
  std::ranges::copy_if(of.statements, std::back_inserter(told),
                       [&](uint32_t one) { return is_telling(report_.statements[one].at); });
  const bool is_any = !told.empty();
  if (!is_any) told = of.statements;
  const Statement& first = report_.statements[told.front()];
  WhyLine out = statement(first);
  out.is_telling = is_any;
  std::string further;
  for (const uint32_t one : std::span(told).subspan(1))
    further += fmt::format("{}{}", further.empty() ? "" : ", ", report_.statements[one].at.line);
  if (!further.empty())
    add_remark(out, fmt::format("also line{} {} of {}", told.size() == 2 ? "" : "s", further,
                                source_name(first.at.function)));
  return out;
}

WhyLine WhyLines::state(const Line& of) const {
  if (of.frees)
    return {.text = fmt::format("only {} frees the memory that is used there",
                                *of.frees == RunSide::kA ? "A" : "B")};
  const std::string name = name_of_state(report_, report_.edges[*of.edge]);
  switch (report_.nodes[of.nodes.front()].type) {
    case DivergenceType::kExtraExecution: return {.text = "only B writes " + name};
    case DivergenceType::kExecutionOmission: return {.text = "only A writes " + name};
    case DivergenceType::kExecutionDifference:
    case DivergenceType::kWildWrite:
    case DivergenceType::kNone: break;
  }
  return {.text = name + " was last written at different places"};
}

WhyLine WhyLines::input(uint32_t node) const {
  const Node& of = report_.nodes[node];
  const PairOfPhrases values = input_values(report_, node);
  const bool fails =
      !phrase_of_failure(of.source_a).empty() || !phrase_of_failure(of.source_b).empty();
  const auto value = [&](const std::optional<OutsideSource>& source, const std::string& text) {
    if (!source) return std::string("nothing");
    const std::string failure = phrase_of_failure(source);
    if (fails) return failure.empty() ? "succeeds" : failure;
    return text.empty() ? "?" : text;
  };
  WhyLine out{.text = "input",
              .value_a = value(of.source_a, values.a),
              .value_b = value(of.source_b, values.b)};
  if (const auto told = started_with(report_, of)) {
    out.text += "  " + phrase_of_started(report_.inputs[*told]);
    return out;
  }
  // How much a read brought: the call is named in front.
  const auto phrase = [](const std::optional<OutsideSource>& source) {
    return reads_count(source) && !source->input.empty() ? source->input : phrase_of_source(source);
  };
  const std::string a = phrase(of.source_a);
  const std::string b = phrase(of.source_b);
  const bool is_same_place = of.source_a && of.source_b && of.source_a->offset &&
                             of.source_a->offset == of.source_b->offset;
  const std::string from = !of.source_b || a == b ? a
                           : !of.source_a         ? b
                           : is_same_place        ? fmt::format("{} | {}", of.source_a->input, b)
                                                  : fmt::format("{} | {}", a, b);
  // Which of them it is nobody compared, and where they lie in memory says nothing.
  if (a == kStartedWith || b == kStartedWith)
    return {.text = fmt::format(
                "input  arguments or variables of process {}",
                (b == kStartedWith ? of.source_b : of.source_a)->position.process.value)};
  const std::string call = of.source_b ? of.source_b->call : of.source_a ? of.source_a->call : "";
  // A call that says by itself what it asked for.
  if (!call.empty() && !from.starts_with(call + "(")) out.text += fmt::format(" by {}()", call);
  out.text += "  " + from;
  return out;
}

void WhyLines::tell_values(const WhyReport::Edge& edge, WhyLine& out) const {
  const std::string a = phrase_of_value(edge.value_a);
  const std::string b = phrase_of_value(edge.value_b);
  if (!is_inside_library(report_, edge)) {
    out.name = edge.name;
  } else {
    // Its own names and counts mean nothing here, but text does.
    const auto is_text = [](const std::string& value) {
      return value.front() == '"' || value.front() == '\'' || value == "NULL";
    };
    if (!is_text(a) || !is_text(b)) return;
  }
  out.value_a = a;
  out.value_b = b;
}

WhyLine WhyLines::line(const Line& of) {
  const Node& node = report_.nodes[of.nodes.front()];
  WhyLine out;
  switch (of.kind) {
    case Line::Kind::kTarget: out = target_line(report_); break;
    case Line::Kind::kPlace:
      if (const NamedInstruction* at = site_of(node)) {
        out = site(*at);
        out.is_telling = (of.edge || of.decides || is_telling(*at)) && !is_start(*at);
      }
      if (of.edge) {
        const WhyReport::Edge& edge = report_.edges[*of.edge];
        tell_values(edge, out);
      } else if (of.decides) {
        add_remark(out, "the runs part here");
      }
      break;
    case Line::Kind::kState: out = state(of); break;
    case Line::Kind::kSite:
      if (const NamedInstruction* at = site_of(node, *of.run)) {
        out = site(*at);
        // What a library did by itself, with nobody who called it.
        out.is_telling = !is_start(*at) && (report_.is_own(at->module) || report_.programs.empty());
      }
      out.run = *of.run == RunSide::kA ? "A" : "B";
      break;
    case Line::Kind::kInput: out = input(of.nodes.front()); break;
    case Line::Kind::kAside: out = aside(of); break;
  }
  if (of.frees && of.kind == Line::Kind::kPlace)
    add_remark(
        out, fmt::format("here {} frees what is used above", *of.frees == RunSide::kA ? "A" : "B"));
  if (of.rounds != 0) add_remark(out, fmt::format("{} round", plural(of.rounds, "time")));
  if (of.copies != 0)
    out.left_out = fmt::format("{} {} skipped", of.copies, of.copies == 1 ? "copy" : "copies");
  if (of.between != 0)
    out.left_out +=
        (out.left_out.empty() ? "" : ", ") + plural(of.between, "line") + " between: --all";
  out.is_first_wrong = of.is_first_wrong;
  return out;
}

}  // namespace twinrun
