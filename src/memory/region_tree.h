// SPDX-License-Identifier: MIT
#pragma once

#include "run/structural_index.h"
#include "trace/maps.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace twinrun {

/// The canonical name of a region: a node of a RegionTree. 0: none.
using RegionId = uint32_t;

/// One step of the path from the root to a region.
struct RegionLabel {
  enum class Kind : uint8_t {
    // What the region is: the first step.
    kModule,     // a: place of its start, b: which of its copies
    kStack,      // frames
    kHeap,       // an allocation
    kMapping,    // an anonymous mapping, or a file that is no module
    kBreak,      // memory of brk that is in no allocation
    kThread,     // thread-local storage and the C library's record of the thread
    kArguments,  // a: 0 argc and argv, 1 envp, 2 auxv, 3 what is left of the first stack
    kString,  // a: 0 an argument, b: which; a: 1 an environment variable, b: name, c: which; a: 2
              // what the auxiliary vector points to, b: type
    // How it came to be.
    kOfThread,   // a: number of the thread
    kOfProcess,  // a: generations of forks since
    kEntry,      // an IndexEntry: a: site and outcome, b: count, c: kind
    kSite,       // a: place of the call
    kOrdinal,    // a: tells apart what is otherwise the same
    kFrame,      // a: place of the call, b: place of the function
    kSignal,     // a: number, b: place of the handler
    kOther,      // a: which of the thread's further stacks
    kArea,  // a part of a frame whose size the run chose; a: place of the instruction, b: which
  };
  Kind kind = Kind::kModule;
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
  uint64_t jumps = 0;  // of an IndexEntry; for texts: labels that differ in it only are the same

  static RegionLabel of(const IndexEntry& entry) {
    return {Kind::kEntry, entry.site | uint64_t{entry.outcome} << 32, entry.count,
            static_cast<uint64_t>(entry.kind), entry.jumps};
  }
  [[nodiscard]] IndexEntry entry() const {
    return {.kind = static_cast<IndexEntry::Kind>(c),
            .site = static_cast<CodeNode>(a),
            .outcome = static_cast<CodeNode>(a >> 32),
            .count = b,
            .jumps = jumps};
  }
  auto operator<=>(const RegionLabel& other) const {
    return std::tie(kind, a, b, c) <=> std::tie(other.kind, other.a, other.b, other.c);
  }
  bool operator==(const RegionLabel& other) const { return (*this <=> other) == 0; }
};

/// An address in a file, which is the same in every run.
struct CodePlace {
  MappedFile file;  // without a path: code without a file
  ModuleAddr address;
};

/// The tree of memory indices (rules 15 and 16 of the memory indexing paper): its leaves are the
/// regions that are live in one or several runs. The same path is the same number in all of them,
/// so that comparing regions is comparing numbers, as long as one of them is in the tree. Inserting
/// and removing cost the length of the path.
class RegionTree {
 public:
  /// Puts a region into the tree, or counts it once more.
  RegionId insert(std::span<const RegionLabel> path);
  /// The same for a path that goes on from a node of the tree; 0: the root.
  RegionId insert_below(RegionId parent, const RegionLabel& label);
  /// Takes it out; ancestors without children go with it.
  void remove(RegionId region);
  /// 0 when it is not in the tree.
  [[nodiscard]] RegionId find(std::span<const RegionLabel> path) const;
  [[nodiscard]] RegionId find_below(RegionId parent, const RegionLabel& label) const;
  /// From the root.
  [[nodiscard]] std::vector<RegionLabel> path(RegionId region) const;
  [[nodiscard]] size_t size() const { return nodes_.size(); }
  [[nodiscard]] uint32_t deepest() const { return deepest_; }

  /// A number for a text; the same text has the same number. Names are kept.
  uint32_t name(std::string_view text);
  /// A number for a place, the same in all runs that execute the same file; from 1.
  uint32_t place(const CodePlace& place);
  /// Null for none.
  [[nodiscard]] const CodePlace* place_of(uint64_t number) const {
    return number == 0 || number > places_.size() ? nullptr : &places_[number - 1];
  }

 private:
  struct Node {
    uint32_t parent = 0;
    uint32_t depth = 0;
    uint32_t uses = 0;  // children, and regions that end here
    RegionLabel label;
  };
  struct Edge {
    uint32_t parent = 0;
    RegionLabel label;
    bool operator==(const Edge&) const = default;
  };
  uint32_t child(uint32_t parent, const RegionLabel& label);
  struct EdgeHash {
    size_t operator()(const Edge& edge) const;
  };

  boost::unordered_flat_map<Edge, uint32_t, EdgeHash> children_;
  boost::unordered_flat_map<uint32_t, Node> nodes_;
  uint32_t last_ = 0;
  uint32_t deepest_ = 0;
  std::map<std::string, uint32_t, std::less<>> names_;
  std::map<std::pair<uint32_t, ModuleAddr>, uint32_t> place_numbers_;
  std::vector<CodePlace> places_;
};

}  // namespace twinrun
