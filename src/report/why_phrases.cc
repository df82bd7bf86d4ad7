// SPDX-License-Identifier: MIT
#include "report/why_phrases.h"

#include "base/escape.h"
#include "base/text.h"
#include "explain/answer/statements.h"
#include "kernel/syscalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

namespace twinrun {

std::string phrase_of_place(const NamedInstruction& at) {
  if (at.line != 0) return fmt::format("{}:{}", base_name(at.file), at.line);
  if (!at.function.empty()) return fmt::format("{}+{:#x}", source_name(at.function), at.offset);
  return fmt::format("{}+{:#x}", at.module, at.offset);
}

std::string phrase_of_end(const std::optional<HowEnded>& end) {
  if (!end) return "not ended";
  return end->kind == HowEnded::Kind::kExited ? fmt::format("exit {}", end->status) : end->text;
}

std::string phrase_of_value(const std::string& value) {
  if (value.empty()) return "?";
  if (value == "0x0") return "NULL";
  const size_t blank = value.find(' ');
  if (blank == std::string::npos || blank + 1 == value.size()) return value;
  const bool is_pointer = value.starts_with("0x");
  if (value[blank + 1] == '"' && is_pointer) return value.substr(blank + 1);
  const bool is_number =
      value.find_first_not_of("-0123456789") == blank && value[blank + 1] == '\'';
  if (!is_number) return value;
  // No character that has a shape: its number, as a byte.
  const bool is_octal = value.size() == blank + 7 && value[blank + 2] == '\\';
  if (!is_octal) return value.substr(blank + 1);
  uint32_t byte = 0;
  std::from_chars(value.data() + blank + 3, value.data() + blank + 6, byte, 8);
  return std::to_string(byte);
}

std::string cut_value(std::string value, size_t most) {
  const bool is_text = value.size() > 1 && value.front() == '"' && value.back() == '"';
  if (!is_text || value.size() <= most) return cut_text(std::move(value), most);
  value.pop_back();
  return cut_text(std::move(value), most - 1) + '"';
}

bool is_start(const NamedInstruction& at) { return at.line == 0 && at.function == "_start"; }

bool is_inside_library(const WhyReport& report, const WhyReport::Edge& edge) {
  const WhyReport::Node& user = report.nodes[edge.from];
  return user.caller_b ? true : !user.b && user.caller_a;
}

std::string name_of_state(const WhyReport& report, const WhyReport::Edge& edge) {
  const NamedInstruction* at = site_of(report.nodes[edge.from]);
  if (at == nullptr || !is_inside_library(report, edge)) return edge.name;
  return fmt::format("what {} uses", phrase_of_place(*at));
}

std::optional<size_t> started_with(const WhyReport& report, const WhyReport::Node& input) {
  using enum InputDifference::Kind;
  // Of the first process: of another one they are what its parent gave it.
  const auto is_of_first = [](const std::optional<OutsideSource>& source) {
    return source && source->kind == OutsideSource::Kind::kStartup &&
           source->position.process == ProcessId{1};
  };
  if (!is_of_first(input.source_a) || !is_of_first(input.source_b)) return std::nullopt;
  const OutsideSource& source = *input.source_b;
  const bool is_of_all = !source.offset;
  for (size_t i = 0; i < report.inputs.size(); ++i) {
    const InputDifference& one = report.inputs[i];
    const std::string& name = one.value_b ? one.name_b : one.name_a;
    if (one.kind == kArgument && (is_of_all || name == source.input)) return i;
    if (one.kind == kVariable && (is_of_all || "environment variable " + name == source.input))
      return i;
  }
  return std::nullopt;
}

std::string phrase_of_started(const InputDifference& of) {
  const bool is_variable = of.kind == InputDifference::Kind::kVariable;
  const std::string& name = of.name_b.empty() ? of.name_a : of.name_b;
  return (is_variable ? "environment variable " : "") + name;
}

PairOfPhrases phrases_of_started(const InputDifference& of) {
  const std::string_view nothing =
      of.kind == InputDifference::Kind::kVariable ? "not set" : "not given";
  const auto text = [&](const std::optional<std::string>& value) {
    return value ? '"' + escape_for_terminal(*value) + '"' : std::string(nothing);
  };
  return {text(of.value_a), text(of.value_b)};
}

bool reads_count(const std::optional<OutsideSource>& source) {
  static constexpr std::array<std::string_view, 7> kReads{
      "read", "readv", "pread64", "preadv", "recvfrom", "recvmsg", "recvmmsg"};
  return source && source->result && source->field.empty() &&
         std::ranges::find(kReads, source->call) != kReads.end();
}

/// What an input brought, in one run: "bad.csv, byte 53".
std::string phrase_of_source(const std::optional<OutsideSource>& source) {
  if (!source) return "nothing";
  switch (source->kind) {
    case OutsideSource::Kind::kZero: return "fresh memory";
    case OutsideSource::Kind::kStart:
    case OutsideSource::Kind::kParent: return "what was there before";
    case OutsideSource::Kind::kAnchor: return "what was written in front of the anchor";
    case OutsideSource::Kind::kLate: return "what was there when the recording began";
    case OutsideSource::Kind::kUnseen: return "what the kernel changed unseen";
    case OutsideSource::Kind::kSignal: return "a signal";
    case OutsideSource::Kind::kSyscall:
    case OutsideSource::Kind::kStartup:
    case OutsideSource::Kind::kFile: break;
  }
  if (!source->field.empty()) {
    const std::string& file = source->input.empty() ? source->path : source->input;
    if (!file.empty()) return fmt::format("{} of {}", source->field, escape_for_terminal(file));
  }
  std::string text = source->input;
  if (text == "pipe" || text == "socket") return "a " + text;
  if (reads_count(source) && !text.empty()) return fmt::format("{}() of {}", source->call, text);
  if (text.empty() && source->path.empty()) text = source->call + "()";
  if (text.empty())
    text = fmt::format("{}(\"{}\")", source->call, escape_for_terminal(source->path));
  if (source->offset) text += fmt::format(", byte {}", *source->offset);
  return text;
}

namespace {

/// "2026-03-01 17:05:09 UTC", of seconds since 1970; what is no number stays.
std::string moment_text(const std::string& value) {
  time_t time = 0;
  tm parts{};
  const char* end = value.data() + value.size();
  if (std::from_chars(value.data(), end, time).ptr != end || gmtime_r(&time, &parts) == nullptr)
    return value;
  std::array<char, 32> out{};
  const size_t size = std::strftime(out.data(), out.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {out.data(), size};
}

/// Two bytes, of which one has no shape as a character, are two numbers.
PairOfPhrases alike(PairOfPhrases values) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  const auto is_character = [](const std::string& text) {
    return text.size() == 3 && text.front() == '\'' && text.back() == '\'';
  };
  const auto number = [](const std::string& text) {
    return std::to_string(static_cast<uint8_t>(text[1]));
  };
  // A zero ends a text, and is told as what it is.
  if (is_character(values.a) && is_number(values.b) && values.b != "0") values.a = number(values.a);
  if (is_character(values.b) && is_number(values.a) && values.a != "0") values.b = number(values.b);
  return values;
}

}  // namespace

PairOfPhrases input_values(const WhyReport& report, uint32_t node) {
  const WhyReport::Node& input = report.nodes[node];
  if (const auto told = started_with(report, input))
    return phrases_of_started(report.inputs[*told]);
  // A file's size is a number, whichever byte of it was used, and so is what a call answered.
  const auto whole = [](const std::optional<OutsideSource>& source) -> std::string {
    if (!source || (source->field.empty() && !source->result)) return "";
    const auto number = source->result ? source->result : source->value;
    if (!number) return "";
    if (source->field == "the type and mode") return fmt::format("{:#o}", *number);
    return fmt::format("{}{}", static_cast<int64_t>(*number), reads_count(source) ? " bytes" : "");
  };
  const PairOfPhrases numbers{whole(input.source_a), whole(input.source_b)};
  const bool is_whole =
      (!input.source_a || !numbers.a.empty()) && (!input.source_b || !numbers.b.empty());
  if (is_whole) return numbers;
  for (const WhyReport::Edge& edge : report.edges) {
    if (edge.to != node || (edge.value_a.empty() && edge.value_b.empty())) continue;
    const PairOfPhrases values{phrase_of_value(edge.value_a), phrase_of_value(edge.value_b)};
    const bool is_moment = input.source_b && input.source_b->field.starts_with("the time of");
    return is_moment ? PairOfPhrases{moment_text(values.a), moment_text(values.b)} : alike(values);
  }
  return {};
}

std::string phrase_of_failure(const std::optional<OutsideSource>& source) {
  const std::string error = source && source->result ? error_name(*source->result) : "";
  return error.empty() ? "" : "fails with " + error;
}

namespace {

std::string block_text(const Misuse& of) {
  return of.allocated ? fmt::format(" (allocated at {})", phrase_of_place(*of.allocated)) : "";
}

std::string outside_text(const Misuse& of, std::string_view does) {
  const bool is_before = of.offset < 0;
  const auto end = static_cast<int64_t>(of.size);
  const int64_t distance = is_before ? -of.offset : std::max<int64_t>(of.offset - end, 0);
  const std::string object =
      !of.name.empty()
          ? fmt::format("{} ({} byte{})", of.name, of.size, of.size == 1 ? "" : "s")
          : fmt::format("a block of {} byte{}{}", of.size, of.size == 1 ? "" : "s", block_text(of));
  if (distance == 0) return fmt::format("{} beyond the end of {}", does, object);
  return fmt::format("{} at offset {}, {} {}", does, of.offset,
                     is_before ? "in front of" : "behind the end of", object);
}

std::string misuse_what(const Misuse& of) {
  const bool writes = of.access == Misuse::Access::kWrite;
  const std::string_view does = writes ? "writes" : "reads";
  const auto freed_at = [&] {
    return of.freed ? " at " + phrase_of_place(*of.freed) : std::string();
  };
  switch (of.kind) {
    case Misuse::Kind::kFreed:
      return fmt::format("{} memory that was freed{}{}", does, freed_at(), block_text(of));
    case Misuse::Kind::kReused:
      return fmt::format(
          "{} a block that was freed{} and allocated again{}{}", does, freed_at(),
          of.reused ? " at " + phrase_of_place(*of.reused) : "",
          of.allocated ? fmt::format(" (allocated first at {})", phrase_of_place(*of.allocated))
                       : "");
    case Misuse::Kind::kOutside: return outside_text(of, does);
    case Misuse::Kind::kReturnAddress:
      return of.name.empty() ? std::string("writes over a return address")
                             : fmt::format("writes over the return address of {}", of.name);
    case Misuse::Kind::kUninitialised:
      return of.size != 0 ? fmt::format("uses {} that was never written{}",
                                        of.name.empty() ? "memory" : of.name, block_text(of))
                          : fmt::format("uses {} that was never written",
                                        of.name.empty() ? "memory of the stack" : of.name);
    case Misuse::Kind::kDoubleFree:
      return fmt::format("frees what was freed{} already{}", freed_at(), block_text(of));
    case Misuse::Kind::kBadFree:
      if (of.size != 0)
        return fmt::format("frees an address {} byte{} inside of a block{}", of.offset,
                           of.offset == 1 ? "" : "s", block_text(of));
      return fmt::format("frees what is no block: an address of {}",
                         of.name == "stack" ? "the stack" : "the program's file");
    case Misuse::Kind::kNull:
      if (of.access == Misuse::Access::kJump) return "calls a NULL pointer";
      return of.offset == 0 ? fmt::format("{} through a NULL pointer", does)
                            : fmt::format("{} through a NULL pointer (NULL + {})", does, of.offset);
    case Misuse::Kind::kWild:
      return of.access == Misuse::Access::kJump
                 ? fmt::format("jumps to {:#x}, where there is no code", of.address)
                 : fmt::format("{} at {:#x}, where there is no such memory", does, of.address);
  }
  return "";
}

}  // namespace

std::string phrase_of_misuse(const Misuse& of) {
  return fmt::format("{} {}, at {}{}{}", of.side == RunSide::kA ? 'A' : 'B', misuse_what(of),
                     phrase_of_place(of.at), of.by.empty() ? "" : " in " + of.by,
                     of.is_in_both ? "; so does A" : "");
}

}  // namespace twinrun
