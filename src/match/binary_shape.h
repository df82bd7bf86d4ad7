// SPDX-License-Identifier: MIT
#pragma once

#include "match/names.h"
#include "program/instruction_shape.h"
#include "program/module_code.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace twinrun {

inline constexpr uint32_t kNoMatch = ~uint32_t{0};

/// What an instruction refers to.
enum class TargetKind : uint8_t { kNone, kBlock, kCode, kData };

struct ShapeInstruction : InstructionShape {
  TargetKind target_kind = TargetKind::kNone;
  /// kBlock: the block that begins there; kCode: the procedure around it; kData: the data block.
  uint32_t target = kNoMatch;
};

struct ShapeBlock {
  uint64_t start = 0;
  uint32_t procedure = 0;
  uint32_t first = 0;      // of its instructions
  uint32_t count = 0;      // of its instructions
  uint32_t substance = 0;  // instructions that are no padding
  BlockEnd ends = BlockEnd::kFallThrough;
  bool landing_pad = false;
};

struct ShapeEdge {
  uint32_t block = 0;  // at the other end
  EdgeKind kind = EdgeKind::kFallThrough;
};

/// A whole function with its cold parts.
struct ShapeProcedure {
  uint32_t function = 0;  // in the function table
  uint64_t address = 0;
  uint32_t first_block = 0;
  uint32_t block_count = 0;
  uint32_t entry = 0;  // block
  uint32_t instructions = 0;
  bool is_stub = false;
  ProcedureName name;
};

/// A portion of data: from one address that the code, or a pointer, refers to up to the next.
struct ShapeData {
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t hash = 0;            // of the contents; 0: there are none but zeros
  uint32_t section = 0;         // in BinaryShape::data_sections
  bool only_addresses = false;  // its contents are pointers, which the hash does not see
};

/// One binary as the matcher sees it: procedures, basic blocks, instructions and data, all
/// numbered by address. Costs about 50 bytes an instruction.
class BinaryShape {
 public:
  struct DataSection {
    uint64_t start = 0;
    uint64_t end = 0;
    bool has_bytes = false;
    bool is_writable = false;
  };

  /// `code` must outlive it.
  static BinaryShape make(const ModuleCode& code);

  [[nodiscard]] const ModuleCode& code() const { return *code_; }
  [[nodiscard]] const std::vector<ShapeProcedure>& procedures() const { return procedures_; }
  [[nodiscard]] const std::vector<ShapeBlock>& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<ShapeData>& data() const { return data_; }
  [[nodiscard]] std::span<const ShapeBlock> blocks_of(uint32_t procedure) const {
    const ShapeProcedure& p = procedures_[procedure];
    return std::span(blocks_).subspan(p.first_block, p.block_count);
  }
  [[nodiscard]] std::span<const ShapeInstruction> instructions_of(const ShapeBlock& block) const {
    return std::span(instructions_).subspan(block.first, block.count);
  }
  [[nodiscard]] size_t instruction_count() const { return instructions_.size(); }
  /// By block; sorted by the order of the graph's edges.
  [[nodiscard]] std::span<const ShapeEdge> successors(uint32_t block) const {
    return row(successor_begin_, successors_, block);
  }
  [[nodiscard]] std::span<const ShapeEdge> predecessors(uint32_t block) const {
    return row(predecessor_begin_, predecessors_, block);
  }
  /// Procedures that this one calls, or that call it: with repetitions, in the order of the code.
  [[nodiscard]] std::span<const uint32_t> callees(uint32_t procedure) const {
    return row(callee_begin_, callees_, procedure);
  }
  [[nodiscard]] std::span<const uint32_t> callers(uint32_t procedure) const {
    return row(caller_begin_, callers_, procedure);
  }
  /// The block that begins there. O(log n).
  [[nodiscard]] std::optional<uint32_t> block_at(uint64_t address) const;
  /// The block that holds the address. O(log n).
  [[nodiscard]] std::optional<uint32_t> block_around(uint64_t address) const;
  [[nodiscard]] std::optional<uint32_t> procedure_around(uint64_t address) const;
  [[nodiscard]] std::optional<uint32_t> data_around(uint64_t address) const;
  /// The procedure that a function of the table is; kNoMatch for parts and for empty ones.
  [[nodiscard]] uint32_t procedure_of(uint32_t function) const { return by_function_[function]; }
  [[nodiscard]] uint64_t address_of(const ShapeBlock& block, uint32_t instruction) const;
  /// Contents of data, up to the end of its block; empty without bytes.
  [[nodiscard]] ByteSpan contents(const ShapeData& data) const;
  [[nodiscard]] const std::vector<DataSection>& data_sections() const { return data_sections_; }

 private:
  friend class BinaryShapeMaker;
  template <typename T>
  static std::span<const T> row(const std::vector<uint32_t>& begin, const std::vector<T>& all,
                                uint32_t index) {
    return std::span(all).subspan(begin[index], begin[index + 1] - begin[index]);
  }

  const ModuleCode* code_ = nullptr;
  std::vector<ShapeProcedure> procedures_;
  std::vector<ShapeBlock> blocks_;  // of each procedure together, by address there
  std::vector<ShapeInstruction> instructions_;
  std::vector<ShapeData> data_;
  std::vector<DataSection> data_sections_;
  std::vector<uint32_t> by_function_;
  std::vector<std::pair<uint64_t, uint32_t>> starts_;  // of all blocks, by address
  std::vector<ShapeEdge> successors_, predecessors_;
  std::vector<uint32_t> successor_begin_, predecessor_begin_;
  std::vector<uint32_t> callees_, callers_;
  std::vector<uint32_t> callee_begin_, caller_begin_;
};

}  // namespace twinrun
