// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "calls/index_walk.h"
#include "memory/live_memory.h"
#include "memory/region_tree.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace twinrun {

/// A place in memory, the same in every run: a region and an offset in it (rules 5 to 7 of the
/// memory indexing paper). The offset counts from the address 0 of a module's file, from the end of
/// a frame's return address (so it is negative there), from the stack pointer that an area of a
/// frame left behind (what the frame has below is negative), from the thread pointer of a thread's
/// storage, else from where the region begins.
struct MemoryIndex {
  RegionId region = 0;
  int64_t offset = 0;

  auto operator<=>(const MemoryIndex&) const = default;
};

/// Tells the structural indices of moments of a process, ascending: `tell(i, index)` for the moment
/// at which so many blocks of the process had begun and the last of them, the thread's own, had
/// ended.
using IndexSource =
    std::function<Result<void>(uint32_t process, std::span<const BlockMoment> moments,
                               const std::function<void(size_t, const StructuralIndex&)>& tell)>;

/// A region of a process that is live.
struct Region {
  RegionId id = 0;
  RegionLabel::Kind kind = RegionLabel::Kind::kModule;
  uint64_t base = 0;  // address of offset 0
  uint64_t begin = 0;
  uint64_t end = 0;  // parts in between can belong to other regions
  /// The program does not use it: an allocator's headers, free blocks and mappings, and what the
  /// kernel has put on the first stack that is no argument.
  bool is_internal = false;
  // What it is, as far as that applies.
  const LiveAllocation* allocation = nullptr;
  const LiveFrame* frame = nullptr;  // none for an area of a frame, which has its stack only
  const LiveStack* stack = nullptr;
  const LiveModule* module = nullptr;
  ThreadNo thread;
  std::string name;  // kArguments, kString: "argv[1]"
};

/// All live regions of a process at a moment, with their canonical names. An address belongs to at
/// most one region. The LiveMemory and the tree must outlive it; it takes its regions out of the
/// tree when it goes.
class MemoryMap {
 public:
  static Result<std::unique_ptr<MemoryMap>> build(const LiveMemory& memory, RegionTree& tree,
                                                  const IndexSource& indices);
  ~MemoryMap();
  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;

  /// The region that holds the address; null for none. O(log n).
  [[nodiscard]] const Region* region_at(uint64_t address) const;
  /// All of these bytes are in one part of the region. O(log n).
  [[nodiscard]] bool is_in(const Region& region, uint64_t address, uint64_t size) const;
  /// By its canonical name; null when it is not live here.
  [[nodiscard]] const Region* region(RegionId id) const;
  /// Lazy semantics: also what a pointer with this value stands for. O(log n).
  [[nodiscard]] std::optional<MemoryIndex> index_of(uint64_t address) const;
  /// The other way round; nothing when the region is not live here.
  [[nodiscard]] std::optional<uint64_t> address_of(const MemoryIndex& index) const;

  /// Parts of regions, ascending, without overlaps.
  struct Piece {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t region = 0;  // index into regions()
  };
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }
  [[nodiscard]] const LiveMemory& memory() const { return memory_; }
  [[nodiscard]] const RegionTree& tree() const { return tree_; }
  /// Regions whose index another one had too; they are told apart by their order.
  [[nodiscard]] uint64_t ambiguous() const { return ambiguous_; }

 private:
  friend class MemoryMapBuilder;
  MemoryMap(const LiveMemory& memory, RegionTree& tree) : memory_(memory), tree_(tree) {}

  const LiveMemory& memory_;
  RegionTree& tree_;
  std::vector<Region> regions_;
  std::vector<Piece> pieces_;
  boost::unordered_flat_map<RegionId, uint32_t> by_id_;
  std::vector<RegionId> held_;  // nodes without a region of their own
  uint64_t ambiguous_ = 0;
};

/// Texts of memory indices.
class MemoryTexts {
 public:
  /// `node`: the place of a node of a structural index; nothing when it is not known.
  using NodePlace = std::function<std::optional<CodePlace>(CodeNode)>;
  MemoryTexts(const RegionTree& tree, Binaries& binaries, NodePlace node)
      : tree_(tree), binaries_(binaries), node_(std::move(node)) {}

  /// "figure7", "stack main > F", "heap [main, F, figure7.c:27 x2, figure7.c:21]".
  std::string region(RegionId region);
  /// "figure7.c:21", else "function+0x12", else "module+0x1234".
  std::string place(const CodePlace& place);
  /// The function's name alone.
  std::string function(const CodePlace& place);

 private:
  std::string step(const RegionLabel& label);

  const RegionTree& tree_;
  Binaries& binaries_;
  NodePlace node_;
  std::map<uint64_t, std::string> place_texts_;
  std::map<std::pair<CodeNode, bool>, std::string> node_texts_;  // with `true`: of functions
};

}  // namespace twinrun
