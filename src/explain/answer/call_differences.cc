// SPDX-License-Identifier: MIT
#include "explain/answer/call_differences.h"

#include "kernel/syscalls.h"
#include "trace/event.h"
#include "values/past_state.h"

#include <algorithm>
#include <array>

namespace twinrun {
namespace {

/// The registers of a system call's arguments.
constexpr std::array<uint32_t, 6> kArguments = {reg::kRdi, reg::kRsi, reg::kRdx,
                                                reg::kR10, reg::kR8,  reg::kR9};
constexpr std::string_view kNumbers = "dulxmgD";  // letters of syscalls.def

struct Given {
  std::optional<SyscallEvent> call;
  struct Memory {
    uint64_t address = 0;
    Bytes bytes;
  };
  std::vector<Memory> memory;
};

Result<Given> given_at_end(const BlockOf& block) {
  const ProcessValues& values = *block.view->values;
  TRY(const SegmentData data, values.reader().load(values.process().segments[block.at.segment],
                                                   stream_bit(TW_STREAM_EVENTS)));
  Given out;
  EventReader events(data.events());
  for (Event event; events.next(event);) {
    if (event.at != uint64_t{block.at.ordinal} + 1) continue;
    if (event.kind == EventKind::kSyscall && !out.call) out.call = SyscallEvent::parse(event);
    if (event.kind != EventKind::kRead || !out.call) continue;
    if (const auto memory = MemoryEvent::parse(event); memory && memory->thread == out.call->thread)
      out.memory.push_back({memory->address.value, {memory->bytes.begin(), memory->bytes.end()}});
  }
  return out;
}

Bytes bytes_of_number(uint64_t number) {
  Bytes out(sizeof number);
  std::memcpy(out.data(), &number, sizeof number);
  return out;
}

}  // namespace

Result<std::optional<uint64_t>> call_at_end(const BlockOf& block) {
  TRY(const Given given, given_at_end(block));
  if (!given.call) return std::nullopt;
  return given.call->number;
}

Result<std::vector<DifferentOperand>> call_differences(const BlockOf& a, const BlockOf& b) {
  TRY(const Given given_a, given_at_end(a));
  TRY(const Given given_b, given_at_end(b));
  std::vector<DifferentOperand> out;
  if (!given_a.call || !given_b.call || given_a.call->number != given_b.call->number) return out;
  const auto side = [](const BlockOf& block, bool in_memory, uint64_t where,
                       Bytes bytes) -> Result<UsedValue> {
    const auto size = static_cast<uint32_t>(bytes.size());
    TRY(auto writers, ValuePairs::writers_at_end(block, {in_memory, where, size}));
    return UsedValue{where, std::move(bytes), std::move(writers)};
  };
  const auto add = [&](bool in_memory, uint64_t where_a, const Bytes& bytes_a, uint64_t where_b,
                       const Bytes& bytes_b) -> Result<void> {
    DifferentOperand operand{
        .kind = in_memory ? Dependence::Kind::kMemory : Dependence::Kind::kRegister,
        .size = static_cast<uint32_t>(bytes_a.size())};
    TRY(operand.a, side(a, in_memory, where_a, bytes_a));
    TRY(operand.b, side(b, in_memory, where_b, bytes_b));
    out.push_back(std::move(operand));
    return {};
  };
  const std::string_view letters = syscall_signature(given_a.call->number).arguments;
  for (size_t i = 0; i < std::min(letters.size(), kArguments.size()); ++i) {
    const uint64_t number_a = given_a.call->arguments[i];
    const uint64_t number_b = given_b.call->arguments[i];
    if (kNumbers.find(letters[i]) == std::string_view::npos || number_a == number_b) continue;
    const uint64_t where = kArguments[i];
    TRY_VOID(add(false, where, bytes_of_number(number_a), where, bytes_of_number(number_b)));
  }
  const size_t pieces = std::min(given_a.memory.size(), given_b.memory.size());
  for (size_t i = 0; i < pieces; ++i) {
    Bytes bytes_a = given_a.memory[i].bytes;
    Bytes bytes_b = given_b.memory[i].bytes;
    const size_t size = std::min(bytes_a.size(), bytes_b.size());
    bytes_a.resize(size);
    bytes_b.resize(size);
    if (bytes_a != bytes_b) {
      TRY_VOID(add(true, given_a.memory[i].address, bytes_a, given_b.memory[i].address, bytes_b));
    }
  }
  return out;
}

}  // namespace twinrun
