// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "program/control_flow.h"
#include "run/run.h"
#include "run/structural_index.h"
#include "trace/block.h"
#include "trace/maps.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

/// The code of some processes, of one run or of two: basic blocks with one set of immediate
/// post-dominators, from the static control flow and the indirect jumps of all processes that were
/// added; PostDominance::kNoUnusedEnds. Modules are known by their build ids, so that what two runs
/// have in common has the same nodes in both; what else corresponds, a CodeIdentity says.
/// Functions are looked at when a block of theirs is asked for. Code without a file has a node for
/// each executed block, which nothing but the function's end post-dominates.
class CodeSpace {
 public:
  static constexpr CodeNode kNone = 0;
  static constexpr uint32_t kNoFunction = ~0u;

  struct Node {
    ModuleAddr address;  // of code without a file, in memory
    ModuleAddr last;     // its last instruction
    ModuleAddr end;
    uint32_t instructions = 0;
    uint32_t module = 0;
    uint32_t function = 0;            // a number of all whole functions; 0: none
    uint32_t in_table = kNoFunction;  // its number in the module's table
    CodeNode until = 0;               // the immediate post-dominator; kNone: the function's end
    bool is_branch : 1 = false;       // a predicate: several nodes can follow
    bool is_loop : 1 = false;         // the header of a loop that nothing leaves
    bool is_until : 1 = false;        // the immediate post-dominator of a predicate
    bool is_entry : 1 = false;        // a function begins with it
  };

  /// All processes must be added before a block is asked for. Reads the blocks of the process once
  /// when some of its jumps go where only the run knows.
  Result<void> add(RunProcess& process);

  /// What the processes show of a module, until a block of it is asked for: another build of it can
  /// add to that. Null when none of them has it.
  [[nodiscard]] ObservedCode* observed(const MappedFile& file);

  [[nodiscard]] const Node& node(CodeNode number) const { return nodes_[number]; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  /// The graph of the node's function, whose blocks have consecutive nodes; null: none.
  [[nodiscard]] const Cfg* graph(CodeNode number) const;
  /// The file that a node's code is in; null: none.
  [[nodiscard]] const MappedFile* file(CodeNode number) const;
  /// What knows that file: the binaries of the run that was the first to have it.
  [[nodiscard]] Binaries* binaries(CodeNode number) const;
  /// The name of the node's function, as the binary has it, or its address.
  [[nodiscard]] std::string function_name(CodeNode number) const;
  [[nodiscard]] std::vector<std::string> function_aliases(CodeNode number) const;
  [[nodiscard]] bool function_has_name(CodeNode number, std::string_view name) const;

  /// The node that holds the address when `blocks` blocks of the process had begun. `def`: the
  /// executed block that begins there, which code without a file is known by.
  CodeNode at(const RunProcess& process, Addr address, uint64_t blocks, const BlockDef& def);
  /// The node that holds an address of a module of one of the processes; kNone for none, or for
  /// code without a graph that has not been asked for.
  CodeNode find(const MappedFile& file, ModuleAddr address);
  /// The control flow of a module of one of the processes; null: its code is not known.
  const ControlFlow* flow(const RunProcess& process, const MappedFile& file);
  /// The node behind `number` in the code of the same function, where a call returns to; kNone for
  /// none.
  [[nodiscard]] CodeNode following(CodeNode number) const;
  /// The nearest node that both will come to, if nothing unforeseen happens; kNone: only the end of
  /// the function, or they are of different ones.
  [[nodiscard]] CodeNode meeting(CodeNode a, CodeNode b) const;

  /// A number for an executed block and the way it was left, the same in all processes.
  uint32_t canonical(CodeNode node, ModuleAddr address, ByteSpan bytes, uint32_t variant);

 private:
  struct Module {
    MappedFile file;  // without a path: code without a file
    Binaries* binaries = nullptr;
    std::unique_ptr<ControlFlow> flow;
    std::vector<CodeNode> first_nodes;   // by function; kNone: not looked at
    ObservedCode observed;               // until the flow is built
    std::vector<ExecutedCode> executed;  // sorted, then
    bool is_built = false;
  };
  uint32_t number_of(const RunProcess& process, const MappedFile* file);
  static void build(Module& module);
  /// Makes the nodes of a function.
  CodeNode first_node(uint32_t module, uint32_t function);
  CodeNode loose_node(uint32_t module, ModuleAddr address, const BlockDef& def);
  /// Of a function with a graph.
  CodeNode node_in(uint32_t module, ModuleAddr address);

  std::vector<Node> nodes_{1};
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::string, uint32_t, std::less<>> numbers_;  // by module_key()
  uint32_t functions_ = 0;
  std::map<std::pair<uint32_t, ModuleAddr>, CodeNode> loose_;  // by module and address
  using BlockKey = std::array<uint64_t, 4>;
  boost::unordered_flat_map<BlockKey, uint32_t> canonical_;
};

/// The code of one process by itself: a facet of it, for all that compares it with nothing.
struct ProcessCode {
  static Result<std::unique_ptr<ProcessCode>> make(RunProcess& process);

  CodeSpace space;
};

}  // namespace twinrun
