// SPDX-License-Identifier: MIT
// Fuzziness levels: what of a basic block goes into its hash value. The table is the method's; the
// register classes are those of the x86-64 ABI.
#pragma once

#include "match/binary_shape.h"
#include "match/match_state.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace twinrun {

enum class Level : uint8_t { k0, k1, k1a, k2, k3, k3a, k4, k5 };

struct LevelInfo {
  enum class Registers : uint8_t {
    kNone,
    kClasses,     // one value for all that calls destroy, one for those that they keep
    kDependency,  // those that calls destroy are numbered in the order of their use in the block
    kAll,
  };
  enum class Targets : uint8_t {
    kNone,
    kDirection,  // in the same procedure: forward or backward
    kBlock,      // the matched block, its name, or its distance
    kOffset,     // that, and its offset from the beginning of the procedure
  };

  Level level = Level::k0;
  std::string_view name;
  bool last_only = false;      // the last instruction of the block alone
  bool displacements = false;  // numerical offsets of memory operands
  bool immediates = false;     // and operands of return instructions
  bool data = false;           // which data an instruction refers to, if that is matched
  Registers registers = Registers::kNone;
  Targets targets = Targets::kNone;
  bool types = false;    // of operands
  bool opcodes = false;  // opcodes themselves, not groups of them
};

/// One row per level.
std::span<const LevelInfo> levels();
const LevelInfo& level_info(Level level);
std::optional<Level> parse_level(std::string_view name);

/// Hashes the blocks of one of the two binaries, given what is matched so far.
class BlockHasher {
 public:
  BlockHasher(const BinaryShape& shape, const MatchState& state, Side side)
      : shape_(shape), state_(state), side_(side) {}

  /// Never 0. Padding does not count, except on level 0.
  [[nodiscard]] uint64_t hash(uint32_t block, Level level) const;
  /// Of all blocks of a procedure in their order.
  [[nodiscard]] uint64_t procedure_hash(uint32_t procedure, Level level) const;

 private:
  [[nodiscard]] uint64_t target(const ShapeBlock& block, uint64_t address,
                                const ShapeInstruction& instruction, const LevelInfo& level) const;
  [[nodiscard]] uint64_t data(const ShapeInstruction& instruction, const LevelInfo& level) const;

  const BinaryShape& shape_;
  const MatchState& state_;
  Side side_;
};

}  // namespace twinrun
