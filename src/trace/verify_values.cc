// SPDX-License-Identifier: MIT
// The checks that need values: the recording is computed again, block by block, and every place
// where it says what the result must be is compared.
#include "format/registers.h"
#include "format/syscalls.h"
#include "trace/maps.h"
#include "trace/regen/effects.h"
#include "trace/regen/known_memory.h"
#include "trace/regen/memory_events.h"
#include "trace/regen/regenerate.h"
#include "trace/verify.h"

#include <algorithm>

namespace twinrun {
namespace {

constexpr uint32_t kSmallestState = reg::kRip + 8;  // up to the program counter

std::string describe(const RegenerationFault& fault) {
  const Contradiction& what = fault.what;
  switch (what.kind) {
    case Contradiction::Kind::kNextBlock:
      return fmt::format("computed to go on at {:#x}, recorded is {:#x}", what.computed,
                         what.recorded);
    case Contradiction::Kind::kRegister:
      return fmt::format("register file at {}: computed {:#x}, recorded {:#x}", what.offset,
                         what.computed, what.recorded);
    case Contradiction::Kind::kExit:
      return fmt::format("the block at {:#x} takes a side exit in {} only", fault.address,
                         what.computed != 0 ? "the computation" : "the recording");
    case Contradiction::Kind::kMissingValues: return "values are missing from the recording";
    case Contradiction::Kind::kUnusedValues: return "a recorded load was not computed to happen";
    case Contradiction::Kind::kNone: break;
  }
  return "";
}

/// Compares every load with what was last stored there, by the program or by the kernel. Memory
/// that others can change is left out.
class MemoryCheck {
 public:
  struct Fault {
    KnownMemory::Difference what;
    uint32_t segment = 0;
    uint32_t thread = 0;
    uint64_t block = 0;    // number in the process
    uint64_t address = 0;  // of the block
  };

  MemoryCheck(const Reader& reader, const Process& process) {
    // In recordings of version 1 a forked process lists its mappings again without saying which of
    // them are shared.
    for (const Process* p = &process; p != nullptr; p = reader.process(p->info.parent)) {
      const Result<MapHistory> maps = map_history(reader, p->info.number);
      if (!maps) return;
      for (const Mapping& mapping : maps->all()) {
        if ((mapping.prot & TW_PROT_SHARED) != 0 || mapping.kind == TW_MAP_SHM)
          shared_.push_back({mapping.start.value, mapping.end.value});
      }
      if (p->info.origin != TW_ORIGIN_FORK || p->info.parent >= p->info.number) break;
    }
  }

  void block(Machine& machine, const Regenerator::Block& block, uint32_t segment) {
    if (others_write_) return;
    for_each_access(machine, *block.executable->code, block.ops, [&](const DoneAccess& access) {
      if (access.is_store()) return known_.write(access.address, access.bytes());
      ++loads_;
      const auto difference = known_.compare(access.address, access.bytes());
      if (!difference || is_shared(difference->address)) return;
      ++faults_;
      if (first_faults_.size() < kFaultsKept)
        first_faults_.push_back(
            {*difference, segment, block.thread, block.number, block.executable->address});
      known_.write(access.address, access.bytes());  // one wrong store is told once
    });
  }

  void event(const Event& event) {
    apply_to_memory(event, known_);
    if (event.kind != EventKind::kSyscall) return;
    if (const auto e = SyscallEvent::parse(event)) kernel_changes(*e);
  }

  [[nodiscard]] bool others_write() const { return others_write_; }
  [[nodiscard]] uint64_t loads_compared() const { return loads_; }
  [[nodiscard]] uint64_t faults() const { return faults_; }
  [[nodiscard]] const std::vector<Fault>& first_faults() const { return first_faults_; }

 private:
  static constexpr size_t kFaultsKept = 20;

  /// Calls that change memory without a write that could be told.
  void kernel_changes(const SyscallEvent& call) {
    if (call.number == sys::kMadvise) known_.forget(call.arguments[0], call.arguments[1]);
    if (call.number == sys::kIoUringSetup) others_write_ = true;
  }
  [[nodiscard]] bool is_shared(uint64_t address) const {
    return std::ranges::any_of(shared_, [&](const auto& range) {
      return address >= range.first && address < range.second;
    });
  }

  KnownMemory known_;
  bool others_write_ = false;  // from here on: the kernel, when it likes (io_uring)
  std::vector<std::pair<uint64_t, uint64_t>> shared_;
  uint64_t loads_ = 0;
  uint64_t faults_ = 0;
  std::vector<Fault> first_faults_;
};

Result<void> verify_segment(Regenerator& regenerator, size_t number, MemoryCheck& memory) {
  TRY_VOID(regenerator.enter(number));
  for (;;) {
    TRY(const Regenerator::Item item, regenerator.next());
    if (item == Regenerator::Item::kEnd) return {};
    if (item == Regenerator::Item::kEvent)
      memory.event(regenerator.event());
    else
      memory.block(regenerator.machine(), regenerator.block(), static_cast<uint32_t>(number));
  }
}

}  // namespace

void verify_values(const Reader& reader, const Process& process, VerifyReport& report,
                   const std::function<void(uint64_t)>& progress) {
  const Result<Dictionary> dictionary = reader.dictionary(process.info.number);
  if (!dictionary) return;  // verify_process has said why
  if (process.info.state_size < kSmallestState || process.info.state_size > kTempsOffset) {
    report.add({.check = "values",
                .process = process.info.number,
                .text = fmt::format("a register file of {} bytes", process.info.state_size)});
    return;
  }
  CodeCache code(*dictionary, process.info.state_size);
  Regenerator regenerator(reader, process, code);
  MemoryCheck memory(reader, process);
  uint64_t instructions = 0;
  for (size_t i = 0; i < process.segments.size(); ++i) {
    const Result<void> done = verify_segment(regenerator, i, memory);
    instructions += reader.frames()[process.segments[i]].segment.instruction_count;
    progress(instructions);
    if (done) continue;
    report.add({.check = "values",
                .process = process.info.number,
                .segment = static_cast<uint32_t>(i),
                .text = done.error().message});
    break;
  }
  report.loads_compared += memory.loads_compared();
  if (memory.others_write()) ++report.processes_with_io_uring;
  for (const MemoryCheck::Fault& fault : memory.first_faults()) {
    report.add({.check = "memory",
                .process = process.info.number,
                .segment = fault.segment,
                .thread = fault.thread,
                .block = fault.block,
                .text = fmt::format("a load at {:#x} in the block at {:#x} yields {:#04x}, last "
                                    "stored there was {:#04x}",
                                    fault.what.address, fault.address, fault.what.loaded,
                                    fault.what.known)});
  }
  if (memory.faults() > memory.first_faults().size())
    report.failures["memory"] += memory.faults() - memory.first_faults().size();
  const RegenerationReport& found = regenerator.report();
  report.regenerated_blocks += found.blocks;
  report.states += found.states_compared;
  for (const RegenerationFault& fault : found.first_faults) {
    report.add({.check = "values",
                .process = process.info.number,
                .segment = fault.segment,
                .thread = fault.thread,
                .block = fault.block,
                .text = describe(fault)});
  }
  if (found.faults > found.first_faults.size())
    report.failures["values"] += found.faults - found.first_faults.size();
}

}  // namespace twinrun
