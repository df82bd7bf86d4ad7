// SPDX-License-Identifier: MIT
#pragma once

#include "program/instruction.h"
#include "program/module_code.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace twinrun {

/// Finds the blocks of a binary's control flow graphs by addresses. The binary must outlive it.
class CodeIndex {
 public:
  explicit CodeIndex(const ModuleCode& binary);

  struct Spot {
    uint32_t function = 0;  // a whole one
    uint32_t block = 0;
    auto operator<=>(const Spot&) const = default;
  };
  /// The block with an instruction that begins at the address. O(log n).
  [[nodiscard]] std::optional<Spot> find(uint64_t address);
  /// The block that begins there. O(log n).
  [[nodiscard]] std::optional<Spot> starting_at(uint64_t address) const;
  /// The block of the same function that ends there, as the one before `spot`.
  [[nodiscard]] std::optional<uint32_t> ending_at(uint32_t function, uint64_t end) const;

  /// In order. Decoded on first use.
  [[nodiscard]] const std::vector<Instruction>& instructions(const Spot& spot);
  /// The last one of a block; its flow is kNone when the block just ends.
  [[nodiscard]] Instruction last(const Spot& spot);

  [[nodiscard]] const Cfg& cfg(uint32_t function) const { return binary_.flow().cfg(function); }
  [[nodiscard]] const CodeBlock& block(const Spot& spot) const {
    return cfg(spot.function).blocks[spot.block];
  }

 private:
  struct Entry {
    uint64_t start = 0;
    Spot spot;
    std::vector<Instruction> instructions;  // empty: not decoded yet
  };
  [[nodiscard]] bool holds(Entry& entry, uint64_t address);
  void decode(Entry& entry);

  const ModuleCode& binary_;
  Decoder decoder_;
  std::vector<Entry> entries_;         // by start
  std::vector<uint32_t> first_entry_;  // of each function, into by_function_
  std::vector<uint32_t> by_function_;  // block of a function -> its entry
};

/// The edges that leave the block.
std::span<const CfgEdge> edges_from(const Cfg& cfg, uint32_t block);

}  // namespace twinrun
