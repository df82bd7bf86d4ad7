// SPDX-License-Identifier: MIT
#pragma once

#include "values/block_flow.h"
#include "values/values.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace twinrun {

/// A moment inside a block: before statement `statement` of its IR runs.
struct Moment {
  BlockAt block;
  uint32_t statement = 0;
};

/// Who gave bytes their value.
struct LastWriter {
  enum class Kind : uint8_t {
    kStatement,  // an instruction: `block`, `statement`
    kOutside,    // `outside`, an event of segment `block.segment`
    kParent,     // they were there when the process was forked
    kStart,      // they were there when the recording, or the thread, began
  };
  Kind kind = Kind::kStart;
  BlockAt block;
  uint32_t statement = 0;
  uint32_t access = 0;  // in the block's accesses, or in its register writes
  OutsideWrite outside;

  bool operator==(const LastWriter& other) const {
    return kind == other.kind && block == other.block && statement == other.statement &&
           access == other.access &&
           (kind != Kind::kOutside || outside.event == other.outside.event);
  }
};

/// Bytes [first, first + count) of what was asked for have this writer.
struct BytesWritten {
  uint32_t first = 0;
  uint32_t count = 0;
  LastWriter writer;
};

/// Words of the register file, which has less than 127 of them; the last bit is left to say that a
/// mask is known.
using WordMask = std::array<uint64_t, 2>;
inline void mark_word(WordMask& mask, uint32_t word) {
  word = std::min(word, 126u);
  mask[word / 64] |= uint64_t{1} << (word % 64);
}

/// Finds the last writers of memory and registers, byte by byte, by looking backward.
class LastWriters {
 public:
  LastWriters(ProcessValues& values, BlockFlows& flows) : values_(values), flows_(flows) {}

  /// Who is looked for: those that wrote, or also those that read, which knew the bytes too.
  enum class Search : uint8_t { kStores, kAccesses };
  /// Of the memory [address, address + size), as it is at the moment. In the order of the bytes.
  /// What was written before segment `since` counts as there from the start.
  Result<std::vector<BytesWritten>> memory(Moment at, uint64_t address, uint32_t size,
                                           Search search = Search::kStores, uint32_t since = 0);
  /// Of bytes of the register file of the thread that runs at the moment.
  Result<std::vector<BytesWritten>> registers(Moment at, uint32_t offset, uint32_t size);

  /// That the block of a stream value writes.
  Result<const WordMask*> mask_of(uint32_t value);
  /// That a segment writes, for any thread. Needs no values: the segment is only read.
  Result<const WordMask*> segment_mask(uint32_t segment);
  /// Steps of the block that ran: a signal may have left it in its middle.
  Result<uint32_t> ops_run(const SegmentValues& segment, uint32_t ordinal);

  [[nodiscard]] uint64_t segments_searched() const { return segments_searched_; }

 private:
  ProcessValues& values_;
  BlockFlows& flows_;
  uint64_t segments_searched_ = 0;
  std::vector<WordMask> masks_;
  std::vector<std::optional<WordMask>> segment_masks_;
};

}  // namespace twinrun
