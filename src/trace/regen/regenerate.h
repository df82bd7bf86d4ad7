// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/event.h"
#include "trace/reader.h"
#include "trace/regen/code.h"
#include "trace/regen/machine.h"

#include <functional>
#include <map>

namespace twinrun {

/// A contradiction and where it is.
struct RegenerationFault {
  Contradiction what;
  uint32_t segment = 0;
  uint32_t ordinal = 0;  // of the block in the segment
  uint64_t block = 0;    // of the block in the process
  uint32_t thread = 0;
  uint64_t address = 0;  // of the block
};

struct RegenerationReport {
  uint64_t blocks = 0;
  uint64_t states_compared = 0;
  uint64_t faults = 0;
  std::vector<RegenerationFault> first_faults;
};

/// Runs over segments of a process, computing registers and memory accesses from the recording.
///
/// Registers of threads that do not run are kept aside. Segments must come in order and start at a
/// chunk's first one. Not thread-safe; make one per chunk to work in parallel (they may not share a
/// CodeCache).
class Regenerator {
 public:
  Regenerator(const Reader& reader, const Process& process, const Dictionary& dictionary,
              CodeCache& code);

  /// Computes one segment: index into process.segments.
  Result<void> segment(size_t number);
  [[nodiscard]] const RegenerationReport& report() const { return report_; }
  [[nodiscard]] Machine& machine() { return machine_; }
  /// Called after each block when set.
  std::function<void(const BlockDef&, uint32_t thread)> on_block;

 private:
  struct PartialBlock {
    bool is_partial = false;
    uint32_t completed = 0;
    uint64_t opaque_at = 0;
  };
  Result<void> run_block(uint32_t value, const PartialBlock& partial);
  void apply(const Event& event);
  void compare_state(ByteSpan recorded);
  void check_next(uint64_t address);
  void fault(Contradiction what);
  void switch_to(uint32_t thread);

  const Reader& reader_;
  const Process& process_;
  const Dictionary& dictionary_;
  CodeCache& code_;
  Machine machine_;
  /// Two registers in which Valgrind notes the range of code that it checks for changes, before a
  /// block begins; no part of what is recorded.
  std::pair<uint32_t, uint32_t> code_check_{~0u, ~0u};
  std::map<uint32_t, Bytes> parked_;  // registers of threads that do not run
  uint32_t thread_ = 0;
  std::map<uint32_t, bool> known_;  // whose registers are known
  uint64_t expected_next_ = 0;      // where the last block goes, 0: anywhere
  uint32_t segment_ = 0;
  uint32_t ordinal_ = 0;
  uint64_t first_block_ = 0;
  uint64_t block_address_ = 0;
  RegenerationReport report_;
};

}  // namespace twinrun
