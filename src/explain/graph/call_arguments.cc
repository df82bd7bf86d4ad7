// SPDX-License-Identifier: MIT
// What a system call answered is an input of the program only as far as the program asked the same.
//
// stat() says 0 in one run and -ENOENT in the other: when the paths differ, the file system is not
// to blame, and the cause is in whoever made the path. So before an answer becomes an input, the
// arguments of both calls are compared, by what they are (format/syscalls.def): numbers as numbers,
// paths by their bytes. Descriptors and buffers are only names for things and are not compared; a
// size matters to what is returned, not to what was read. Each argument that differs is followed
// like an operand, from a node that stands for the call.
//
// Costs the events of one segment for each run.
#include "explain/graph/slice_align.h"
#include "kernel/syscalls.h"
#include "values/outside_call.h"

#include <algorithm>
#include <array>

namespace twinrun {
namespace {

constexpr std::array<uint32_t, 6> kRegisters = {reg::kRdi, reg::kRsi, reg::kRdx,
                                                reg::kR10, reg::kR8,  reg::kR9};
constexpr uint64_t kBytesMost = 8;

/// Whether a number of that kind decides what the call does.
bool matters(char kind, size_t place, bool is_result) {
  switch (kind) {
    case 'l':
    case 'x':
    case 'm':
    case 'g': return true;
    case 'u': return is_result;
    case 'd': return is_result && place > 0;  // the first is a descriptor nearly everywhere
    default: return false;
  }
}

/// Where two texts differ, with the zeroes behind them.
std::pair<uint64_t, uint64_t> differing(const std::string& a, const std::string& b) {
  const std::string_view with_end_a(a.c_str(), a.size() + 1);
  const std::string_view with_end_b(b.c_str(), b.size() + 1);
  const uint64_t both = std::min(with_end_a.size(), with_end_b.size());
  uint64_t first = 0;
  while (first < both && with_end_a[first] == with_end_b[first]) ++first;
  uint64_t size = 0;
  while (first + size < both && size < kBytesMost &&
         with_end_a[first + size] != with_end_b[first + size])
    ++size;
  return {first, size};
}

}  // namespace

Result<std::optional<uint32_t>> SliceAlign::call_node(const End& a, const End& b) {
  const auto is_call = [](const End& end) {
    return end.instruction && end.source && end.source->kind == OutsideSource::Kind::kSyscall;
  };
  if (!is_call(a) || !is_call(b) ||
      !runs_.is_aligned(a.instruction->position, b.instruction->position))
    return std::nullopt;
  TRY(const auto call_a, outside_call(*a.view, a.writer));
  TRY(const auto call_b, outside_call(*b.view, b.writer));
  if (!call_a || !call_b || call_a->number != call_b->number) return std::nullopt;
  const std::string_view kinds = syscall_signature(call_a->number).arguments;
  if (kinds == "?") return std::nullopt;
  std::vector<ValuePairs::Place> places;
  for (size_t i = 0; i < std::min(kinds.size(), kRegisters.size()); ++i) {
    const uint64_t of_a = call_a->arguments[i];
    const uint64_t of_b = call_b->arguments[i];
    if (kinds[i] == 's') {
      const auto text_a = call_a->text_at(of_a);
      const auto text_b = call_b->text_at(of_b);
      if (!text_a || !text_b || *text_a == *text_b) continue;
      const auto [first, size] = differing(*text_a, *text_b);
      places.push_back({true, of_a + first, of_b + first, static_cast<uint32_t>(size)});
    } else if (matters(kinds[i], i, !a.bytes.in_memory) && of_a != of_b) {
      places.push_back({false, kRegisters[i], kRegisters[i], 8});
    }
  }
  if (places.empty()) return std::nullopt;
  TRY(const uint32_t node, aligned_node(*a.instruction, *b.instruction));
  for (const ValuePairs::Place& place : places) {
    TRY(const DifferentOperand operand,
        pairs_.at_end(block_of(*a.instruction), block_of(*b.instruction), place));
    TRY_VOID(follow(node, operand));
  }
  return node;
}

}  // namespace twinrun
