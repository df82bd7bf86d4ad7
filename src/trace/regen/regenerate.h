// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "format/registers.h"
#include "trace/count.h"
#include "trace/event.h"
#include "trace/reader.h"
#include "trace/regen/code.h"
#include "trace/regen/machine.h"

#include <map>
#include <optional>
#include <vector>

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

/// The registers and the predictor at the start of a segment.
struct RegenerationState {
  Bytes predictor;
  std::map<uint32_t, Bytes> registers;  // of the threads whose registers are known
  uint32_t thread = 0;                  // that runs
};

/// Everything that goes on behind a block inside of a segment.
struct RegenerationPoint {
  uint32_t ordinal = 0;  // of the next block
  Bytes predictor;
  Bytes registers;  // of the thread that runs
  std::map<uint32_t, Bytes> parked;
  std::map<uint32_t, bool> known;
  uint32_t thread = 0;
  uint64_t expected_next = 0;
  Machine::StreamsAt streams;
};

/// Runs over segments of a process, computing registers and memory accesses from the recording. One
/// pull yields an executed block, whose accesses and temporaries can be read from the machine until
/// the next pull, or an event between blocks.
///
/// Registers of threads that do not run are kept aside. Starts at the first segment of a chunk or
/// at a state saved at a segment's start. Not thread-safe; make one per chunk to work in parallel
/// (they may not share a CodeCache).
class Regenerator {
 public:
  Regenerator(const Reader& reader, const Process& process, CodeCache& code);

  enum class Item : uint8_t { kEnd, kBlock, kEvent };
  struct Block {
    const Executable* executable = nullptr;
    uint32_t value = 0;    // of the stream
    uint32_t ops = 0;      // that ran
    uint32_t ordinal = 0;  // in the segment
    uint64_t number = 0;   // in the process
    uint32_t thread = 0;
    bool partial = false;
    uint32_t completed = 0;  // instructions of a partial one
  };

  /// Continues with segment `number` (an index into process.segments).
  Result<void> enter(size_t number);
  /// kEnd at the end of the segment. An event is told before it is applied to the machine.
  Result<Item> next() {
    if (next_block()) [[likely]]
      return Item::kBlock;
    return next_of_any_kind();
  }
  /// Runs the next block when there is nothing else to do, which next() would tell as kBlock: most
  /// of the time. Else does nothing and returns false.
  bool next_block();
  /// Takes the events in front of the next block.
  void apply_events();
  [[nodiscard]] const Block& block() const { return block_; }
  [[nodiscard]] const Event& event() const { return event_; }
  /// The thread that runs, or ran the block.
  [[nodiscard]] uint32_t thread() const { return thread_; }
  [[nodiscard]] const SegmentData& data() const { return data_; }

  /// Computes one segment to its end.
  Result<void> segment(size_t number);

  /// At the start of a segment: before the first next() behind enter(), or behind the kEnd of the
  /// one in front of it.
  [[nodiscard]] RegenerationState save();
  void restore(const RegenerationState& state);

  /// Behind a block, when next() has told it.
  [[nodiscard]] RegenerationPoint point();
  /// Goes on at a point of the segment that was entered.
  void resume(const RegenerationPoint& point);

  [[nodiscard]] const RegenerationReport& report() const { return report_; }
  [[nodiscard]] Machine& machine() { return machine_; }
  /// The registers of a thread; empty while they are unknown.
  [[nodiscard]] ByteSpan registers(uint32_t thread);

 private:
  struct Partial {
    uint32_t ordinal = 0;
    uint32_t completed = 0;
    uint64_t opaque_at = 0;
  };
  Result<Item> next_of_any_kind();
  void begin_block(uint32_t value, const Executable& executable);
  void end_block(uint64_t next);
  Result<void> run_block(uint32_t value);
  Result<void> run_partial(Executable& executable, const Partial& partial);
  uint64_t interpret(const Executable& executable);
  void apply(const Event& event);
  void compare_state(ByteSpan recorded);
  void fault(Contradiction what);
  void switch_to(uint32_t thread);

  const Reader& reader_;
  const Process& process_;
  CodeCache& code_;
  Machine machine_;
  /// Two registers in which Valgrind notes the range of code that it checks for changes, before a
  /// block begins; no part of what is recorded.
  std::pair<uint32_t, uint32_t> code_check_{~0u, ~0u};
  std::map<uint32_t, Bytes> parked_;  // registers of threads that do not run
  uint32_t thread_ = 0;
  std::map<uint32_t, bool> known_;  // whose registers are known
  uint64_t expected_next_ = 0;      // where the last block goes, 0: anywhere

  // The segment.
  SegmentData data_;
  ByteSpan blocks_;             // in data_
  size_t loaded_ = ~size_t{0};  // whose data_ is
  uint32_t segment_ = 0;
  uint64_t first_block_ = 0;
  uint32_t block_count_ = 0;  // that can be computed
  uint32_t ordinal_ = 0;      // of the next block
  std::vector<Partial> partial_;
  size_t next_partial_ = 0;
  std::optional<EventReader> events_;  // while there is a pending one
  Event pending_;
  bool must_apply_ = false;

  Block block_;
  Event event_;
  RegenerationReport report_;
};

// What follows runs for every block.

inline void Regenerator::begin_block(uint32_t value, const Executable& executable) {
  block_ = {.executable = &executable,
            .value = value,
            .ops = executable.ops,
            .ordinal = ordinal_,
            .number = first_block_ + ordinal_,
            .thread = thread_};
  if (expected_next_ != executable.address && expected_next_ != 0) [[unlikely]]
    fault({.kind = Contradiction::Kind::kNextBlock,
           .computed = expected_next_,
           .recorded = executable.address});
  machine_.begin_block(ordinal_);
  ++report_.blocks;
}

inline void Regenerator::end_block(uint64_t next) {
  expected_next_ = next;
  if (next != 0) machine_.word(kStateOffset + reg::kRip) = next;
  if (machine_.contradiction().kind != Contradiction::Kind::kNone) [[unlikely]] {
    fault(machine_.contradiction());
    machine_.forget_contradiction();
  }
}

inline bool Regenerator::next_block() {
  if (must_apply_ || ordinal_ >= block_count_ || (events_ && pending_.at <= ordinal_)) return false;
  const uint32_t value = block_at(blocks_, ordinal_);
  const Executable* const executable = code_.find(value);
  if (executable == nullptr || executable->native == nullptr || next_partial_ < partial_.size())
    return false;
  begin_block(value, *executable);
  end_block(executable->native(&machine_, machine_.core()));
  ++ordinal_;
  return true;
}

}  // namespace twinrun
