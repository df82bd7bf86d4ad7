// SPDX-License-Identifier: MIT
#pragma once

#include "align/typed_memory.h"
#include "memory/memory_index.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// A place at which the memories of two runs differ.
struct MemoryDifference {
  enum class Kind : uint8_t {
    kValue,    // another number, text or raw bytes
    kPointer,  // it points to another place
    kSize,     // the region is larger on one side
    kOnlyA,    // the whole region is on one side only ("*")
    kOnlyB,
  };
  Kind kind = Kind::kValue;
  RegionLabel::Kind where = RegionLabel::Kind::kModule;
  MemoryIndex index;
  uint64_t size = 0;         // bytes; of a whole region all of them
  bool in_register = false;  // a variable of the frame that is in no memory
  std::string region;        // the region's canonical name
  std::string name;          // "h", "h->next->val"; empty: not known
  std::string type;          // empty: raw
  std::string value_a;       // empty: the region is not there
  std::string value_b;
};

/// What `mem` shows. Every byte that one of the programs has stored in a live region is counted
/// once.
struct MemoryComparison {
  std::vector<MemoryDifference> rows;  // globals, stack, heap, others; by place
  struct Counts {
    uint64_t regions = 0;  // on both sides
    uint64_t only_a = 0;   // on one side
    uint64_t only_b = 0;
    // Bytes of regions that are on both sides.
    uint64_t same = 0;
    uint64_t different = 0;
    uint64_t unwritten = 0;  // on both sides garbage from before the region's birth, or padding
    uint64_t unknown = 0;    // changed unseen
    uint64_t allocator = 0;  // the allocator's own
    uint64_t unpaired = 0;   // at offsets that the other side's region does not have
    uint64_t pointers = 0;   // compared by canonical value
    uint64_t online = 0;     // of those, by where they came from
    uint64_t dangling = 0;   // pointers into freed memory on both sides: not compared
    uint64_t ambiguous = 0;  // regions that are told apart by their order only
    uint64_t cut = 0;        // differences that are not in rows
  } counts;
};

/// The index that the pointer at an address stands for; nothing when that is not known.
using PointerIndex = std::function<std::optional<MemoryIndex>(uint64_t address)>;

struct MemCompOptions {
  size_t most_rows = 10000;
  /// The online semantics, for pointers that debug information knows (Provenance); without it, or
  /// where it does not know, the lazy one.
  PointerIndex online_a = {};
  PointerIndex online_b = {};
};

/// The memories of two runs, each at its moment; both are walked at the same time.
struct MemoryPair {
  std::unique_ptr<LiveMemory> a;
  std::unique_ptr<LiveMemory> b;
};
struct MomentOfRun {
  Run* run = nullptr;  // the two must not share one, nor its binaries
  Position at;
};
Result<MemoryPair> live_memories(const MomentOfRun& a, const MomentOfRun& b,
                                 const LiveMemory::Options& options);

/// Mem_Comp of the memory indexing paper: aligns the memories of two runs by their indices and
/// compares what is at the same places, numbers by value and pointers by where they point to. Both
/// maps must share a tree. The cost follows what both programs have written to what is live.
MemoryComparison compare_memory(const MemoryMap& a, const MemoryMap& b, MemoryTexts& texts,
                                const MemCompOptions& options);

}  // namespace twinrun
