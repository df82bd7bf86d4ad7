// SPDX-License-Identifier: MIT
// Paths of whole recordings: which are executed most, in one of two runs only, or in none. A path
// is what a function executes between backward steps, or two of those one behind the other.
#pragma once

#include "base/result.h"
#include "paths/paths_file.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// The same function in several recordings.
struct PathFunctionKey {
  std::string module;  // base name; empty: the program itself, whatever its name
  std::string function;
  uint32_t number = 0;  // among those of the module with that name
  auto operator<=>(const PathFunctionKey&) const = default;
};

/// What the runs of a function did. Several processes and threads are added up.
struct FunctionPaths {
  using Blocks = std::vector<uint32_t>;
  const PathCode* code = nullptr;
  PathFunction names;
  PathBody body;
  std::map<Blocks, uint64_t> paths;                     // counts
  std::map<std::pair<Blocks, Blocks>, uint64_t> pairs;  // of two paths in a row
  bool knows_pairs = true;

  /// The blocks are at the same places.
  [[nodiscard]] bool has_same_code(const FunctionPaths& other) const;
  [[nodiscard]] uint64_t instructions(std::span<const uint32_t> blocks) const;
  /// "csvsum.c:33 34 36"; empty without lines.
  [[nodiscard]] std::string lines(std::span<const uint32_t> blocks) const;
};

struct PathCountOptions {
  std::string function;      // only this one; empty: all
  bool all_modules = false;  // also libraries
};

/// Reads the indices of a recording's paths. The file must outlive it. P011 for a function that was
/// not executed.
using PathCounts = std::map<PathFunctionKey, FunctionPaths>;
Result<PathCounts> count_paths(const PathsFile& file, const PathCountOptions& options);

/// Executions of one block.
struct BlockCount {
  PathFunctionKey function;
  uint32_t number = 0;
  const PathBlock* block = nullptr;  // of the counts
  std::string lines;
  uint64_t count = 0;
};
/// Of all blocks of the functions, also those that were not executed.
std::vector<BlockCount> block_counts(const PathCounts& counts);

struct HotPath {
  PathFunctionKey function;
  std::vector<uint32_t> blocks;
  std::string lines;
  uint64_t count = 0;
  uint64_t instructions = 0;  // of all executions
};
struct HotPaths {
  std::vector<HotPath> paths;  // by instructions, most first
  uint64_t instructions = 0;   // of all paths of these functions
};
HotPaths hot_paths(const PathCounts& counts);

struct PathDifference {
  PathFunctionKey function;
  std::string blocks;  // "b1 b2 b5", or of two: "b1 b2 > b1 b3"; empty: only lines are comparable
  std::string lines;
  uint64_t a = 0;
  uint64_t b = 0;
};
struct PathDifferences {
  std::vector<PathDifference> only_a;  // by count, most first
  std::vector<PathDifference> only_b;
  std::vector<PathDifference> changed;       // by how much
  std::vector<PathFunctionKey> functions_a;  // executed in A only
  std::vector<PathFunctionKey> functions_b;
  std::vector<PathFunctionKey> not_compared;  // other code, and no lines
  uint64_t same = 0;                          // paths that are executed equally often
};
PathDifferences diff_paths(const PathCounts& a, const PathCounts& b);

struct NeverTaken {
  PathFunctionKey function;
  uint32_t from = 0;  // blocks
  uint32_t to = 0;
  std::string from_line;  // "csvsum.c:33"
  std::string to_line;
  uint64_t executions = 0;  // of the block that it leaves
};
struct NeverFunction {
  PathFunctionKey function;
  uint64_t taken = 0;     // different paths between backward steps
  uint64_t possible = 0;  // ~0: more than can be counted
};
struct NeverPaths {
  std::vector<NeverTaken> edges;  // those that leave what is executed most first
  std::vector<NeverFunction> functions;
  uint64_t not_compared = 0;  // functions with other code in some recordings, or without a graph
};
/// What none of the recordings takes of the functions that some of them executes.
NeverPaths never_paths(const std::vector<PathCounts>& runs);

}  // namespace twinrun
