// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "explain/graph/same_pointer.h"
#include "values/byte_flow.h"
#include "values/slice.h"

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace twinrun {

/// A value in a run that some statement used.
struct UsedValue {
  uint64_t where = 0;                 // offset in the register file, or address
  std::vector<uint8_t> bytes;         // empty: not known
  std::vector<BytesWritten> writers;  // of bytes [0, size)
};

/// What an instruction used in both runs, at one place of its code, and what was not the same.
struct DifferentOperand {
  Dependence::Kind kind = Dependence::Kind::kValue;
  bool for_address = false;
  /// In memory, and the addresses do not correspond: what is there can be different because of
  /// that alone.
  bool is_elsewhere = false;
  /// Equal numbers that are pointers to blocks which do not correspond.
  bool is_other_block = false;
  /// A block that was freed, if they meant that one when they were written.
  std::optional<PointerMatcher::Ended> meant;
  /// Nothing that was used differs but that one of the runs has freed the block that it is in.
  std::optional<PointerMatcher::Ended> ended;
  uint32_t size = 0;
  UsedValue a;
  UsedValue b;
  ByteMask value_bytes = kAllBytes;  // kValue: those of the writing statement's result
};

/// A place of a run, as bytes of memory or of the register file.
struct BytesOf {
  bool in_memory = false;
  uint64_t where = 0;
  uint32_t size = 0;
};

/// A block that was executed in a run.
struct BlockOf {
  ProcessView* view = nullptr;
  BlockAt at;
};

/// Compares the operands of instructions that correspond, statement by statement: where two values
/// are the same, what they were computed from is of no interest.
class ValuePairs {
 public:
  explicit ValuePairs(PointerMatcher& pointers) : pointers_(pointers) {}

  /// Statements of a block's IR and the bytes of their results that are in question.
  using Wanted = std::map<uint32_t, ByteMask>;

  /// What these statements used, leaving out what stayed inside their instruction. Both blocks must
  /// be executions of the same code, see is_same_code().
  Result<std::vector<DifferentOperand>> differences(const BlockOf& a, const BlockOf& b,
                                                    Wanted wanted);
  static Result<bool> is_same_code(const BlockOf& a, const BlockOf& b);
  /// All statements of an instruction, or those that decide where it goes on.
  static Result<Wanted> all_of(const BlockOf& block, uint32_t instruction);
  /// What decided where the block went.
  Result<std::vector<DifferentOperand>> decisions(const BlockOf& a, const BlockOf& b);
  /// What an instruction reads by its encoding: of one that did not come to its end, or whose
  /// blocks are not the same code. Registers; when those are the same, memory.
  Result<std::vector<DifferentOperand>> by_encoding(const BlockOf& a, uint32_t instruction_a,
                                                    const BlockOf& b, uint32_t instruction_b);
  /// Who wrote the registers that an instruction of one run reads by its encoding.
  static Result<std::vector<BytesWritten>> writers_by_encoding(const BlockOf& block,
                                                               uint32_t instruction);
  /// The bytes [where, where + size) of memory or registers, as they are when the blocks have
  /// ended.
  struct Place {
    bool in_memory = false;
    uint64_t where_a = 0;
    uint64_t where_b = 0;
    uint32_t size = 0;
  };
  Result<DifferentOperand> at_end(const BlockOf& a, const BlockOf& b, const Place& place);
  /// Of one run.
  static Result<std::vector<BytesWritten>> writers_at_end(const BlockOf& block,
                                                          const BytesOf& bytes);

 private:
  /// The temporaries of an executed block, copied out of the machine.
  struct Snapshot {
    const ProcessView* view = nullptr;
    BlockAt at;
    bool is_known = false;  // else nothing of it can be told
    uint32_t ops = 0;       // that ran
    std::vector<std::array<uint8_t, 32>> temps;
    std::vector<std::array<uint8_t, 32>> accesses;  // loaded and stored values
    std::vector<uint64_t> addresses;                // SegmentValues::kNotDone
    uint64_t next = 0;
    ThreadNo thread;
    uint64_t sp = 0;
  };
  Result<const Snapshot*> snapshot(const BlockOf& block);
  /// What is known of the block without its values.
  static Result<Snapshot> without_values(const BlockOf& block);
  /// Of a block that has just run.
  static void add_values(Snapshot& made, const BlockFlow& flow, Regenerator& there);
  using SnapshotKey = std::tuple<const ProcessView*, uint32_t, uint32_t>;
  const Snapshot* keep(Snapshot made);
  /// What an instruction read from memory; `value` lives as long as the snapshot, null: not known.
  struct Load {
    BytesOf bytes;
    const uint8_t* value = nullptr;
  };
  static Result<std::vector<Load>> loads_of(const BlockOf& block, uint32_t instruction,
                                            const Snapshot& of);
  /// Computes what is asked of both runs at the same time.
  static Result<void> compute_segments(const BlockOf& a, const BlockOf& b);
  [[nodiscard]] static PointerMatcher::At moment(const BlockOf& block, const Snapshot& snapshot);
  /// The bytes of a value that differ, pointers by what they mean. Stack pointers of blocks that
  /// are not the same code need not correspond: equal numbers are the same place of a stack then.
  struct Difference {
    ByteMask bytes = 0;
    ByteMask equal = 0;  // of them: the numbers are equal, and the blocks do not correspond
    std::optional<PointerMatcher::Ended> meant;
    std::vector<PointerMatcher::Ended> ended;
  };
  Result<Difference> different(const BlockOf& a, const Snapshot& of_a, const uint8_t* bytes_a,
                               const BlockOf& b, const Snapshot& of_b, const uint8_t* bytes_b,
                               uint32_t size, ByteMask mask, bool is_same_block = true);

  PointerMatcher& pointers_;
  // Of some kilobytes each.
  static constexpr size_t kSnapshotsKept = 3000;
  std::list<Snapshot> snapshots_;  // the latest first
  std::map<SnapshotKey, std::list<Snapshot>::iterator> by_block_;
  /// Code that was asked about: on the way to a block, others of the same code are kept, too. Who
  /// goes back through a loop asks for them next.
  std::map<const ProcessView*, std::set<uint32_t>> asked_;
};

}  // namespace twinrun
