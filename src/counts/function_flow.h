// SPDX-License-Identifier: MIT
#pragma once

#include "counts/flow.h"
#include "program/control_flow.h"
#include "program/debug_info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// What `twinrun cfg` says about one function.
struct FunctionFlow {
  struct Successor {
    std::optional<uint64_t> to;     // start of a block; nothing: out of the function
    std::string_view kind;          // "next", "taken", "table", "return", "exception", "observed"
    std::optional<uint64_t> count;  // nothing: not known
  };
  struct Block {
    uint64_t start = 0;
    uint64_t end = 0;
    uint32_t instructions = 0;
    std::string_view ends;                // "jump", "call", "return", ...
    std::vector<std::string_view> notes;  // "no return", "landing pad", ...
    std::string line;                     // of the source, "a.c:7"; empty: not known
    std::string file;                     // of that, in full
    uint32_t line_number = 0;
    std::optional<uint64_t> count;  // executions
    uint32_t loop_depth = 0;
    bool loop_header = false;
    bool irreducible = false;                // its innermost loop has several entries
    std::optional<uint64_t> post_dominator;  // the immediate one; nothing: the virtual exit
    std::vector<Successor> successors;
  };
  struct Part {
    uint64_t address = 0;
    uint64_t size = 0;
    std::string name;
  };
  struct CallSite {
    std::string function;           // the callee, or the caller
    uint64_t site = 0;              // address of the calling instruction
    std::string_view kind;          // "call", "tail", "observed" (through a pointer)
    std::optional<uint64_t> count;  // nothing: not known
  };

  std::string module;
  std::string name;  // or the address, if it has none
  std::vector<std::string> aliases;
  std::string_view source;  // "symbol", "eh_frame", "observed"
  bool returns = true;
  bool has_counts = false;
  uint64_t entry = 0;
  std::vector<Part> parts;        // the function itself first, then its cold parts
  std::vector<Block> blocks;      // by start
  std::vector<CallSite> callees;  // by site
  std::vector<CallSite> callers;  // in this module
  uint32_t loops = 0;
  uint32_t irreducible_loops = 0;
  uint32_t unexplained = 0;         // observed edges that contradict the code
  std::vector<std::string> others;  // functions of the same name that are not shown
};

/// `executed` can be null. `function` must be a whole one.
FunctionFlow function_flow(const ControlFlow& flow, uint32_t function,
                           const ExecutedFlow* executed);

/// Gives the blocks the source lines that they begin with. The flow's addresses must be those of
/// the binary that `info` describes.
void add_lines(FunctionFlow& flow, DebugInfo& info);

}  // namespace twinrun
