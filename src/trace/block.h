// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "trace/model.h"

#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace twinrun {

/// A translated block, as its definition describes it; spans point into the DEFS stream.
struct BlockDef {
  BlockId id;
  uint32_t variants = 1;  // stream values id .. id+variants-1 mean this block
  Addr address;
  uint32_t flags = 0;  // TwBlockFlags
  uint32_t jump = 0;   // TwJump of the last exit
  ByteSpan lengths;    // of the instructions
  ByteSpan bytes;      // guest code
  ByteSpan exits;      // varints: instructions begun at each side exit
  ByteSpan ir;         // empty without TW_BLOCK_HAS_IR

  [[nodiscard]] uint32_t instructions() const { return static_cast<uint32_t>(lengths.size()); }
  [[nodiscard]] bool has_ir() const { return (flags & TW_BLOCK_HAS_IR) != 0; }
  [[nodiscard]] bool is_rep() const { return (flags & TW_BLOCK_REP) != 0; }
  /// Address of the last instruction; the block's own without instructions.
  [[nodiscard]] Addr last_instruction() const;
  /// The address behind the block.
  [[nodiscard]] Addr end() const { return {address.value + bytes.size()}; }
  /// Instructions that begin when the block is left as stream value `id + variant` says.
  [[nodiscard]] uint32_t begun(uint32_t variant) const;
};

/// One definition of a DEFS stream.
struct Definition {
  uint64_t kind = 0;  // TwDef; unknown kinds are for the caller to skip
  ByteSpan payload;
};

/// Walks a DEFS stream; ends at the first definition that does not fit, then failed() is true.
class DefinitionReader {
 public:
  explicit DefinitionReader(ByteSpan stream) : in_(stream) {}
  bool next(Definition& out) {
    if (in_.at_end() || failed_) return false;
    out.kind = in_.varint();
    out.payload = in_.take(in_.varint());
    failed_ = in_.failed();
    return !failed_;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] size_t position() const { return in_.position(); }

 private:
  ByteReader in_;
  bool failed_ = false;
};

/// The payload of a TW_DEF_BLOCK. T006 when it is malformed; the IR is not looked at.
Result<BlockDef> parse_block(ByteSpan payload);

/// What counting instructions needs to know of each stream value, in 8 bytes.
class CountTable {
 public:
  struct Entry {
    uint32_t count = 0;
    /// 0 for most. kUndefined, or of a rep block: kRep | kZeroExit | low address bits.
    uint32_t special = kUndefined;
  };
  static constexpr uint32_t kUndefined = 1u << 31;
  static constexpr uint32_t kRep = 1u << 30;
  static constexpr uint32_t kZeroExit = 1u << 29;
  static constexpr uint32_t kPlace = kZeroExit - 1;

  /// Adds all blocks of a DEFS stream.
  Result<void> add_definitions(ByteSpan defs);
  Result<void> add(const BlockDef& block);
  /// The definitions with ids below `limit` of the process that forked this one.
  void inherit(const CountTable& parent, uint32_t limit);

  [[nodiscard]] const Entry* data() const { return entries_.data(); }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }
  [[nodiscard]] bool defined(uint32_t value) const {
    return value < entries_.size() && entries_[value].special != kUndefined;
  }

 private:
  std::vector<Entry> entries_;
};

/// All blocks and helpers that a process knows. Owns the bytes that the definitions point into, so
/// that copies for forked processes share them.
class Dictionary {
 public:
  /// Adds the definitions of one DEFS stream.
  Result<void> add(std::shared_ptr<const Bytes> defs);
  void inherit(const Dictionary& parent, uint32_t block_limit, uint32_t helper_limit);

  /// The block that a stream value means; nullptr for an undefined value.
  [[nodiscard]] const BlockDef* find(uint32_t value) const {
    return value < by_value_.size() && by_value_[value] != 0 ? &blocks_[by_value_[value] - 1]
                                                             : nullptr;
  }
  [[nodiscard]] const std::vector<BlockDef>& blocks() const { return blocks_; }
  [[nodiscard]] const CountTable& counts() const { return counts_; }
  /// Indirect jumps that were executed, if the recording tells them (TW_FEATURE_JUMPS).
  struct Jump {
    uint32_t from = 0;  // stream values
    uint32_t to = 0;
    uint64_t block = 0;  // number of `to` in the process at the first time
  };
  [[nodiscard]] const std::vector<Jump>& jumps() const { return jumps_; }
  /// Empty for an unknown helper.
  [[nodiscard]] std::string_view helper(uint64_t number) const;

 private:
  std::vector<std::shared_ptr<const Bytes>> owned_;
  std::vector<BlockDef> blocks_;    // in the order of definition
  std::vector<uint32_t> by_value_;  // index into blocks_ plus one
  std::map<uint64_t, std::string_view> helpers_;
  CountTable counts_;
  std::vector<Jump> jumps_;
};

}  // namespace twinrun
