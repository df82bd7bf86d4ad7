// SPDX-License-Identifier: MIT
#pragma once

#include "values/byte_flow.h"
#include "values/writers.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace twinrun {

/// An executed instruction.
struct InstructionAt {
  BlockAt block;
  uint32_t instruction = 0;  // in the block

  auto operator<=>(const InstructionAt&) const = default;
};

/// What an instruction needed from where.
struct Dependence {
  enum class Kind : uint8_t {
    kValue,     // a value that went from one instruction to the next inside a block
    kRegister,  // bytes of the register file
    kMemory,    // bytes of memory
    kControl,   // a branch, or a call, that decided that it was executed
  };
  Kind kind = Kind::kValue;
  bool for_address = false;  // it only went into an address
  uint32_t from = 0;         // nodes of the slice: `from` needed what `to` wrote
  uint32_t to = 0;
  uint64_t where = 0;  // offset in the register file, or address
  uint32_t size = 0;

  auto operator<=>(const Dependence&) const = default;
};

/// Bytes that came from no instruction.
struct SliceInput {
  uint32_t node = 0;
  bool in_memory = false;
  uint64_t where = 0;
  uint32_t size = 0;
  LastWriter writer;
};

struct Slice {
  /// An instruction behind which the search was told not to go, and what it would have followed.
  struct Stop {
    std::map<uint32_t, ByteMask> statements;  // bytes of their results
    bool decides = false;
  };
  std::vector<InstructionAt> nodes;  // in the order in which they were found
  std::vector<Dependence> edges;     // without doubles
  std::vector<SliceInput> inputs;
  std::map<uint32_t, Stop> stops;  // by node
  bool cut = false;                // the limit was reached
};

struct SliceOptions {
  uint32_t limit = 1000;    // nodes
  bool addresses = true;    // follow what went into addresses
  bool control = true;      // follow what decided that instructions were executed
  uint32_t instances = 0;   // of each instruction of the code, the latest ones; 0: all
  uint32_t visits = 0;      // blocks that may be looked into; 0: all
  bool exact_flags = true;  // follow only the operands that the flags in question depend on
  bool exact_bytes = true;  // follow only the bytes of a value that matter (byte_flow.h)
  std::function<bool(const InstructionAt&)> stops;  // what is not followed further
};

/// Where a statement took something from: another statement, or bytes that came from elsewhere.
struct FlowSource {
  Dependence::Kind kind = Dependence::Kind::kValue;
  bool for_address = false;
  uint64_t where = 0;
  uint32_t size = 0;
  LastWriter writer;
  ByteMask bytes = kAllBytes;  // of the value that matter, of kValue
};

class ControlFinder;

/// Backward dynamic slices over data and control dependences: from an instruction to everything
/// that its result was computed from, and to what decided that it was executed.
class Slicer {
 public:
  /// Without a finder only data dependences are followed.
  Slicer(ProcessValues& values, BlockFlows& flows, ControlFinder* control = nullptr)
      : values_(values), flows_(flows), control_(control), writers_(values, flows) {}

  /// From all that the instruction computes, or from one of its statements.
  Result<Slice> slice(InstructionAt from, const SliceOptions& options);
  /// From the writers of some bytes, which begin at this place; without a place, from all that the
  /// writers wrote.
  struct BytesAt {
    bool in_memory = false;
    uint64_t where = 0;
  };
  Result<Slice> slice(const std::vector<BytesWritten>& from, const SliceOptions& options,
                      std::optional<BytesAt> begin = std::nullopt);

  /// The bytes of the writing statement's result that became [where, where + size).
  Result<ByteMask> result_bytes(const LastWriter& writer, bool in_memory, uint64_t where,
                                uint32_t size);

  /// What bytes of one statement's result were computed from: one step backward.
  Result<std::vector<FlowSource>> sources(BlockAt block, uint32_t statement, ByteMask wanted,
                                          const SliceOptions& options);
  /// What an instruction's statement was computed from, leaving out the instruction's own
  /// temporaries: sources in other instructions, and from outside.
  Result<std::vector<FlowSource>> instruction_sources(BlockAt block, uint32_t statement,
                                                      ByteMask wanted, const SliceOptions& options);
  /// The flow of an executed block, and of a stream value.
  Result<const BlockFlow*> flow_at(BlockAt block);
  Result<const BlockFlow*> flow_of(uint32_t value);
  /// Whether the operand of a flag helper has a part in what the helper yields: it is given the
  /// whole thunk, and which of it matters depends on the operation that set the flags.
  Result<bool> flags_operand_matters(BlockAt block, const BlockFlow& flow, const IrStatement& st,
                                     uint32_t operand);

  [[nodiscard]] LastWriters& writers() { return writers_; }
  [[nodiscard]] ControlFinder* control() { return control_; }

 private:
  ProcessValues& values_;
  BlockFlows& flows_;
  ControlFinder* control_;
  LastWriters writers_;
};

/// The bytes of a statement's result that went to bytes [where, where + size) of what it wrote at
/// `start`.
constexpr ByteMask written_bytes(uint64_t start, uint64_t where, uint64_t size) {
  const uint64_t skip = where - start;
  return skip < 64 ? byte_mask(static_cast<uint32_t>(skip), static_cast<uint32_t>(size))
                   : kAllBytes;
}

/// Stretches of a mask, as (first byte, number of bytes).
std::vector<std::pair<uint32_t, uint32_t>> stretches(ByteMask mask, uint32_t size);

/// Whether operand `index` of a statement only says where in memory it reads or writes.
bool is_address_operand(const IrStatement& statement, uint32_t index);

}  // namespace twinrun
