// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// A basic block of the code that one or two runs executed; see CodeSpace.
using CodeNode = uint32_t;

/// An entry of a structural index: what is under way at a moment of an execution.
struct alignas(32) IndexEntry {
  enum class Kind : uint8_t {
    kCall,    // a function has been called: site is the calling node, outcome the function's first
    kTail,    // a function has been jumped to, in place of the one that was called
    kBranch,  // a predicate has been executed: outcome is the node that it led to
    kLoop,    // a loop that nothing leaves goes round: site is its header
    kRepeat,  // a rep-prefixed instruction repeats
    kSignal,  // a handler runs: site is the number of the signal
    kUnwind,  // longjmp or an exception came here: site is the node that called, outcome is here
    kStack,   // code on a stack of its own: site counts the stacks of the thread
    kLoader,  // the dynamic loader looks for the function that is called
  };

  Kind kind = Kind::kCall;
  CodeNode site = 0;
  CodeNode outcome = 0;
  CodeNode until = 0;  // popped when this node is reached; 0: when the function is left
  uint64_t count = 1;  // times that the predicate has been executed since the entry was pushed
  uint64_t jumps = 0;  // numbers that IterationMarks have left out of the count

  /// As the run counts, whatever it is compared with.
  [[nodiscard]] uint64_t executed() const { return count - jumps; }

  /// Whether site and outcome are nodes.
  [[nodiscard]] bool has_site() const {
    return kind != Kind::kSignal && kind != Kind::kStack && kind != Kind::kLoader;
  }
  [[nodiscard]] bool has_outcome() const { return kind != Kind::kRepeat; }
  /// The same in another run of the same code: by rules (1) to (4), and the counter in place of
  /// repeated entries.
  [[nodiscard]] bool is_same(const IndexEntry& other) const {
    return site == other.site && outcome == other.outcome && count == other.count &&
           kind == other.kind;
  }
  bool operator==(const IndexEntry& other) const { return is_same(other); }
};

/// The structural index of a moment: what is under way, the outermost first, and the instruction
/// that is executed.
struct StructuralIndex {
  std::vector<IndexEntry> path;
  CodeNode node = 0;
  ModuleAddr address;  // of the instruction

  bool operator==(const StructuralIndex&) const = default;
};

}  // namespace twinrun
