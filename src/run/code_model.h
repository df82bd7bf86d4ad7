// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "program/control_flow.h"
#include "run/structural_index.h"
#include "run/symbols.h"
#include "trace/block.h"
#include "trace/maps.h"
#include "trace/reader.h"

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

/// One process of a recording, with all that its code is known by.
struct RunCode {
  const Reader* reader = nullptr;
  Binaries* binaries = nullptr;
  const Process* process = nullptr;
  const Dictionary* dictionary = nullptr;
  const MapHistory* maps = nullptr;
};

/// The code of one process, or of two that are compared: basic blocks with one set of immediate
/// post-dominators, from the static control flow and the indirect jumps of all processes that were
/// added; PostDominance::kNoExceptions.
/// Functions are looked at when a block of theirs is asked for. Code without a file has a node for
/// each executed block, which nothing but the function's end post-dominates.
class CodeModel {
 public:
  static constexpr CodeNode kNone = 0;
  static constexpr uint32_t kNoFunction = ~0u;

  struct Node {
    uint64_t address = 0;  // as in the ELF file; of code without a file, in memory
    uint64_t last = 0;     // its last instruction
    uint64_t end = 0;
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
  Result<void> add(const RunCode& run);

  [[nodiscard]] const Node& node(CodeNode number) const { return nodes_[number]; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  /// The graph of the node's function, whose blocks have consecutive nodes; null: none.
  [[nodiscard]] const Cfg* graph(CodeNode number) const;
  /// The file that a node's code is in; null: none.
  [[nodiscard]] const MappedFile* file(CodeNode number) const;
  /// The name of the node's function, as the binary has it, or its address.
  [[nodiscard]] std::string function_name(CodeNode number) const;
  [[nodiscard]] std::vector<std::string> function_aliases(CodeNode number) const;
  [[nodiscard]] bool function_has_name(CodeNode number, std::string_view name) const;

  /// The node that holds the address when `blocks` blocks of the process had begun. `def`: the
  /// executed block that begins there, which code without a file is known by.
  CodeNode at(const RunCode& run, Addr address, uint64_t blocks, const BlockDef& def);
  /// An address in memory as the model's nodes have it.
  uint64_t address_in_module(const RunCode& run, Addr address, uint64_t blocks) {
    return place(run, address.value, blocks).address;
  }
  /// The node behind `number` in the code of the same function, where a call returns to; kNone for
  /// none.
  [[nodiscard]] CodeNode following(CodeNode number) const;
  /// The nearest node that both will come to, if nothing unforeseen happens; kNone: only the end of
  /// the function, or they are of different ones.
  [[nodiscard]] CodeNode meeting(CodeNode a, CodeNode b) const;

  /// A number for an executed block and the way it was left, the same in all processes.
  uint32_t canonical(CodeNode node, uint64_t address, ByteSpan bytes, uint32_t variant);

 private:
  struct Module {
    MappedFile file;  // without a path: code without a file
    std::unique_ptr<ControlFlow> flow;
    std::vector<CodeNode> first_nodes;  // by function; kNone: not looked at
    ObservedCode observed;              // until the flow is built
    bool is_built = false;
  };
  struct Place {
    uint32_t module = 0;
    uint64_t address = 0;  // as in the ELF file, or in the file, or in memory
    bool is_in_elf = false;
  };
  Place place(const RunCode& run, uint64_t address, uint64_t blocks);
  uint32_t number_of(const MappedFile* file);
  void build(Module& module, const RunCode& run);
  /// Makes the nodes of a function.
  CodeNode first_node(uint32_t module, uint32_t function);
  CodeNode loose_node(const Place& place, const BlockDef& def);

  std::vector<Node> nodes_{1};
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::pair<std::string, Bytes>, uint32_t> numbers_;
  uint32_t functions_ = 0;
  std::map<std::pair<uint32_t, uint64_t>, CodeNode> loose_;  // by module and address
  using BlockKey = std::array<uint64_t, 4>;
  boost::unordered_flat_map<BlockKey, uint32_t> canonical_;
};

}  // namespace twinrun
