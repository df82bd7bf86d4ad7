// SPDX-License-Identifier: MIT
#include "report/why_phrases.h"

#include "base/escape.h"
#include "base/text.h"
#include "explain/answer/statements.h"
#include "kernel/syscalls.h"

#include <fmt/format.h>

#include <algorithm>

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
  return value.ends_with("'\\000'") ? "0" : value.substr(blank + 1);
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
  if (text.empty() && source->path.empty()) text = source->call + "()";
  if (text.empty())
    text = fmt::format("{}(\"{}\")", source->call, escape_for_terminal(source->path));
  if (source->offset) text += fmt::format(", byte {}", *source->offset);
  return text;
}

PairOfPhrases input_values(const WhyReport& report, uint32_t node) {
  // A file's size is a number, whichever byte of it was used.
  const WhyReport::Node& input = report.nodes[node];
  const auto whole = [](const std::optional<OutsideSource>& source) -> std::optional<uint64_t> {
    if (!source || source->field.empty()) return std::nullopt;
    return source->result ? source->result : source->value;
  };
  if (whole(input.source_a) && whole(input.source_b))
    return {std::to_string(*whole(input.source_a)), std::to_string(*whole(input.source_b))};
  for (const WhyReport::Edge& edge : report.edges) {
    if (edge.to == node && (!edge.value_a.empty() || !edge.value_b.empty()))
      return {phrase_of_value(edge.value_a), phrase_of_value(edge.value_b)};
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
  if (distance == 0) return fmt::format("{} {} the end of {}", does, "beyond", object);
  return fmt::format("{} {} byte{} {} {}", does, distance, distance == 1 ? "" : "s",
                     is_before ? "in front of the begin of" : "behind the end of", object);
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
        return fmt::format("frees an address {} bytes inside of a block{}", of.offset,
                           block_text(of));
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
