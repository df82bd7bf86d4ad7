// SPDX-License-Identifier: MIT
#pragma once

#include "program/digraph.h"
#include "program/dominators.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace twinrun {

/// How a basic block ends.
enum class BlockEnd : uint8_t {
  kFallThrough,  // the next instruction begins another block, or another function
  kJump,
  kConditionalJump,
  kIndirectJump,
  kCall,
  kIndirectCall,
  kReturn,
  kTrap,
  kUndecodable,  // what follows is no instruction
};

/// A basic block: instructions that are executed one after another. Calls end a block, too.
/// Blocks overlap only where the code jumps into the middle of an instruction.
struct CodeBlock {
  uint64_t start = 0;
  uint64_t end = 0;   // behind its last byte
  uint64_t last = 0;  // address of the last instruction
  uint32_t instructions = 0;
  BlockEnd ends = BlockEnd::kFallThrough;
  bool leaves : 1 = false;          // an edge to the virtual exit
  bool tail_call : 1 = false;       // goes on at the start of another function
  bool no_return : 1 = false;       // a call that does not come back
  bool unknown_target : 1 = false;  // an indirect jump, and no target is known
  bool some_targets : 1 = false;    // an indirect jump, and there can be more targets than known
  bool landing_pad : 1 = false;     // exceptions continue here
  bool entered : 1 = false;         // was seen to be entered from outside, not at the entry
};

enum class EdgeKind : uint8_t {
  kFallThrough,
  kTaken,       // a direct jump
  kTable,       // an indirect jump through a table in the binary
  kCallReturn,  // behind a call
  kException,   // from a call to its landing pad
  kObserved,    // an indirect jump that was seen
};

/// "next", "taken", "table", "return" (behind a call), "exception", "observed".
std::string_view edge_kind_name(EdgeKind kind);

struct CfgEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  EdgeKind kind = EdgeKind::kFallThrough;
  auto operator<=>(const CfgEdge&) const = default;
};

/// A compiled switch, or computed goto: where its indirect jump goes for each index.
struct CfgTable {
  static constexpr uint32_t kOutside = ~uint32_t{0};
  uint32_t block = 0;             // that ends with the jump
  uint64_t address = 0;           // of the table
  std::vector<uint32_t> targets;  // blocks in the order of the table; kOutside: none of these
};

/// Instructions that were executed one after another: the addresses of the first and the last one.
struct ExecutedCode {
  uint64_t first = 0;
  uint64_t last = 0;
  auto operator<=>(const ExecutedCode&) const = default;
};

/// Which edges of a function's graph post-dominance, and with it control dependence, goes by.
enum class PostDominance : uint8_t {
  /// For all that follows executions (index, alignment, slices): exceptions are no edges. What
  /// follows a call does not depend on its not throwing, or every statement would be decided by
  /// each
  /// call before it. A landing pad then is entered by nothing, and decided by no branch. Calls that
  /// do not return go to the function's end, as ControlFlow says: what follows them in the code of
  /// other paths is decided by the branch that avoids them.
  kNoExceptions,
  /// For what compares executions by their place in the control flow (index, alignment):
  /// kNoExceptions, and blocks that no run executed and from which no path returns (they call exit
  /// or abort, or loop forever) take no part. Else one check with a fatal error behind it would
  /// decide all of the function behind it, and runs that part there would not meet again in it. A
  /// slice is of another mind: that a check let the run pass is part of why the rest was executed.
  kNoUnusedEnds,
  /// All edges that there are: a test compares with that.
  kEveryEdge,
};

/// The control flow of one function with its cold parts.
struct Cfg {
  uint32_t function = 0;          // index into the function table
  uint32_t entry = 0;             // index into blocks
  std::vector<CodeBlock> blocks;  // by start
  std::vector<CfgEdge> edges;     // sorted; between two blocks there can be edges of several kinds
  std::vector<CfgTable> tables;   // by block, then by address
  uint32_t unexplained = 0;       // observed edges that contradict the code

  [[nodiscard]] Digraph graph() const;
  /// Without the edges that the policy leaves out. `executed`, for kNoUnusedEnds: sorted.
  [[nodiscard]] PostDominators post_dominators(PostDominance policy,
                                               std::span<const ExecutedCode> executed = {}) const;
  /// The blocks with an edge to the virtual exit, for post_dominators().
  [[nodiscard]] std::vector<Digraph::Node> exits() const;
  /// The block that begins there. O(log n).
  [[nodiscard]] std::optional<uint32_t> block_at(uint64_t start) const;
  /// The block whose last instruction is there; with overlapping blocks the first one. O(n).
  [[nodiscard]] std::optional<uint32_t> block_ending_at(uint64_t last) const;

 private:
  /// The blocks that nothing executed and from which no path returns.
  [[nodiscard]] std::vector<bool> unused_ends(std::span<const ExecutedCode> executed) const;
};

}  // namespace twinrun
