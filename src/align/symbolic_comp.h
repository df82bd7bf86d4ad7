// SPDX-License-Identifier: MIT
#pragma once

#include "align/typed_memory.h"
#include "memory/memory_index.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// A non-pointer value at the end of a reference path that differs, or that one side's path does
/// not lead to.
struct SymbolicDifference {
  enum class Kind : uint8_t { kValue, kOnlyA, kOnlyB };
  Kind kind = Kind::kValue;
  std::string path;  // "r->next->val"
  std::string type;
  uint64_t address_a = 0;  // 0: not there
  uint64_t address_b = 0;
  std::string value_a;
  std::string value_b;
};

struct SymbolicComparison {
  std::vector<SymbolicDifference> rows;  // in the order of the walk: roots by name, then paths
  uint64_t compared = 0;                 // values at the same paths
  uint64_t unknown = 0;                  // whose bytes are not known
  bool cut = false;                      // a limit was reached
};

struct SymbolicOptions {
  bool locals = true;  // roots are the variables of all frames, too
  size_t most_rows = 10000;
  size_t most_values = 1 << 22;
  uint32_t most_steps = 64;  // dereferences on a path
};

/// Symbolic alignment, which memory indexing is measured against (section 2 of the memory indexing
/// paper): roots are variables of the same name, everything else is paired by the path of pointers
/// and members that leads there. Pointers are followed and not compared. A pair of addresses is
/// visited once, so cycles end; a place with several paths is compared under each of them.
SymbolicComparison compare_symbolically(const MemoryMap& a, const MemoryMap& b,
                                        const SymbolicOptions& options);

}  // namespace twinrun
