// SPDX-License-Identifier: MIT
// The checks that need values: the recording is computed again, block by block, and every place
// where it says what the result must be is compared.
#include "trace/regen/regenerate.h"
#include "trace/verify.h"

namespace twinrun {
namespace {

constexpr uint32_t kSmallestState = 192;  // up to the program counter

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

}  // namespace

void verify_values(const Reader& reader, const Process& process, VerifyReport& report) {
  const Result<Dictionary> dictionary = reader.dictionary(process.info.number);
  if (!dictionary) return;  // verify_process has said why
  if (process.info.state_size < kSmallestState || process.info.state_size > kTempsOffset) {
    report.add({.check = "values",
                .process = process.info.number,
                .text = fmt::format("a register file of {} bytes", process.info.state_size)});
    return;
  }
  CodeCache code(*dictionary, process.info.state_size);
  Regenerator regenerator(reader, process, *dictionary, code);
  for (size_t i = 0; i < process.segments.size(); ++i) {
    const Result<void> done = regenerator.segment(i);
    if (done) continue;
    report.add({.check = "values",
                .process = process.info.number,
                .segment = static_cast<uint32_t>(i),
                .text = done.error().message});
    break;
  }
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
