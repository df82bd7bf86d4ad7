// SPDX-License-Identifier: MIT
#include "paths/path_counts.h"

#include "base/text.h"
#include "paths/path_index_groups.h"
#include "paths/path_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace twinrun {
namespace {

std::string blocks_text(std::span<const uint32_t> blocks) {
  std::string out;
  for (const uint32_t block : blocks) out += fmt::format("{}b{}", out.empty() ? "" : " ", block);
  return out;
}

using ChosenFunctions = std::map<uint32_t, FunctionPaths*>;

/// The functions that are counted.
Result<ChosenFunctions> chosen_functions(const PathCode& code, const PathCountOptions& options,
                                         PathCounts& counts) {
  std::optional<uint32_t> only;
  if (!options.function.empty()) {
    TRY(only, find_path_function(code, options.function));
  }
  ChosenFunctions out;
  std::map<std::pair<uint32_t, std::string>, std::vector<uint32_t>> named;
  for (uint32_t f = 0; f < code.functions.size(); ++f)
    named[{code.functions[f].module, code.functions[f].name}].push_back(f);
  for (auto& [name, functions] : named) {
    std::ranges::sort(functions, {}, [&](uint32_t f) { return code.functions[f].address; });
    const PathModule& module = code.modules[name.first];
    for (uint32_t i = 0; i < functions.size(); ++i) {
      if (only ? functions[i] != *only : !options.all_modules && !module.is_program) continue;
      FunctionPaths& paths =
          counts[{module.is_program ? "" : std::string(base_name(module.path)), name.second, i}];
      if (paths.code == nullptr) {
        paths.code = &code;
        paths.names = code.functions[functions[i]];
        TRY(paths.body, code.body(functions[i]));
      }
      out[functions[i]] = &paths;
    }
  }
  return out;
}

/// Different paths between backward steps that the edges allow; ~0 for too many.
uint64_t possible_paths(const PathBody& body) {
  constexpr uint64_t kTooMany = ~uint64_t{0};
  const auto size = static_cast<uint32_t>(body.blocks.size());
  std::vector<bool> starts(size);
  if (size > 0) starts[body.entry] = true;
  for (uint32_t b = 0; b < size; ++b)
    for (const uint32_t next : body.blocks[b].next)
      if (next <= b) starts[next] = true;
  // From each block to the end of a path, the last blocks first.
  std::vector<uint64_t> ways(size);
  uint64_t sum = 0;
  for (uint32_t b = size; b-- > 0;) {
    const PathBlock& block = body.blocks[b];
    bool can_end = block.leaves || block.next.empty();
    for (const uint32_t next : block.next) {
      if (next <= b) {
        can_end = true;
      } else if (__builtin_add_overflow(ways[b], ways[next], &ways[b])) {
        return kTooMany;
      }
    }
    ways[b] += can_end ? 1 : 0;
    if (starts[b] && __builtin_add_overflow(sum, ways[b], &sum)) return kTooMany;
  }
  return sum;
}

std::string first_line(const FunctionPaths& paths, uint32_t block, bool last) {
  const std::vector<PathLine>& lines = paths.body.blocks[block].lines;
  if (lines.empty()) return {};
  return line_text(*paths.code, last ? lines.back() : lines.front());
}

}  // namespace

bool FunctionPaths::has_same_code(const FunctionPaths& other) const {
  if (!names.has_graph || !other.names.has_graph) return false;
  return std::ranges::equal(body.blocks, other.body.blocks,
                            [&](const PathBlock& x, const PathBlock& y) {
                              return x.address - names.address == y.address - other.names.address &&
                                     x.instructions == y.instructions && x.next == y.next;
                            });
}

uint64_t FunctionPaths::instructions(std::span<const uint32_t> blocks) const {
  uint64_t sum = 0;
  for (const uint32_t block : blocks)
    sum += block < body.blocks.size() ? body.blocks[block].instructions : 0;
  return sum;
}

std::string FunctionPaths::lines(std::span<const uint32_t> blocks) const {
  std::string out;
  std::optional<PathLine> last;
  for (const uint32_t block : blocks) {
    if (block >= body.blocks.size()) continue;
    for (const PathLine& line : body.blocks[block].lines) {
      if (last == line) continue;
      if (!last || last->file != line.file) {
        out += (out.empty() ? "" : " ") + line_text(*code, line);
      } else {
        out += fmt::format(" {}", line.line);
      }
      last = line;
    }
  }
  return out;
}

namespace {

void add_counts(const PathIndex& index, const ChosenFunctions& chosen) {
  for (const PathIndex::Segment& segment : index.segments()) {
    const auto it = chosen.find(segment.function);
    if (it == chosen.end()) continue;
    it->second->paths[{segment.blocks.begin(), segment.blocks.end()}] += segment.count;
    if (index.order(segment.function) < 2) it->second->knows_pairs = false;
  }
  for (const PathIndex::Pair& pair : index.pairs())
    if (const auto it = chosen.find(pair.function); it != chosen.end())
      it->second->pairs[{{pair.first.begin(), pair.first.end()},
                         {pair.second.begin(), pair.second.end()}}] += pair.count;
}

}  // namespace

Result<PathCounts> count_paths(const PathsFile& file, const PathCountOptions& options) {
  PathCounts out;
  TRY(const ChosenFunctions chosen, chosen_functions(file.code(), options, out));
  for (const PathStream& stream : file.streams()) {
    TRY(const PathIndexGroups groups, PathIndexGroups::open(stream.index));
    if (chosen.size() == 1) {
      TRY(const PathIndex index, groups.of(chosen.begin()->first, {}));
      add_counts(index, chosen);
      continue;
    }
    for (size_t g = 0; g < groups.size(); ++g) {
      TRY(const PathIndex index, groups.group(g));
      add_counts(index, chosen);
    }
  }
  return out;
}

std::vector<BlockCount> block_counts(const PathCounts& counts) {
  std::vector<BlockCount> out;
  for (const auto& [key, function] : counts) {
    const size_t first = out.size();
    for (uint32_t b = 0; b < function.body.blocks.size(); ++b)
      out.push_back({key, b, &function.body.blocks[b], function.lines({&b, 1}), 0});
    // No block is twice in one path.
    for (const auto& [blocks, count] : function.paths)
      for (const uint32_t block : blocks)
        if (block < function.body.blocks.size()) out[first + block].count += count;
  }
  return out;
}

HotPaths hot_paths(const PathCounts& counts) {
  HotPaths out;
  for (const auto& [key, function] : counts) {
    for (const auto& [blocks, count] : function.paths) {
      HotPath path{key, blocks, function.lines(blocks), count,
                   count * function.instructions(blocks)};
      out.instructions += path.instructions;
      out.paths.push_back(std::move(path));
    }
  }
  std::ranges::stable_sort(out.paths, std::greater{}, &HotPath::instructions);
  return out;
}

namespace {

/// Compares the counts of one function's paths, by their blocks or else by their lines.
class FunctionDiff {
 public:
  FunctionDiff(const PathFunctionKey& key, PathDifferences& out) : key_(key), out_(out) {}

  void by_blocks(const FunctionPaths& a, const FunctionPaths& b) {
    each(a.paths, b.paths, [&](const FunctionPaths::Blocks& blocks, uint64_t in_a, uint64_t in_b) {
      add({key_, blocks_text(blocks), a.lines(blocks), in_a, in_b});
    });
    if (!a.knows_pairs || !b.knows_pairs) return;
    // Pairs tell something of their own when both runs have each of the two paths.
    const auto is_shared = [&](const FunctionPaths::Blocks& blocks) {
      return a.paths.contains(blocks) && b.paths.contains(blocks);
    };
    each(a.pairs, b.pairs, [&](const auto& pair, uint64_t in_a, uint64_t in_b) {
      if ((in_a != 0 && in_b != 0) || !is_shared(pair.first) || !is_shared(pair.second)) return;
      add({key_, blocks_text(pair.first) + " > " + blocks_text(pair.second),
           a.lines(pair.first) + " > " + a.lines(pair.second), in_a, in_b});
    });
  }

  /// False: some paths have no lines.
  bool by_lines(const FunctionPaths& a, const FunctionPaths& b) {
    const auto of = [](const FunctionPaths& function) {
      std::map<std::string, uint64_t> counts;
      for (const auto& [blocks, count] : function.paths) counts[function.lines(blocks)] += count;
      return counts;
    };
    const auto in_a = of(a);
    const auto in_b = of(b);
    if (in_a.contains("") || in_b.contains("")) return false;
    each(in_a, in_b, [&](const std::string& lines, uint64_t count_a, uint64_t count_b) {
      add({key_, "", lines, count_a, count_b});
    });
    return true;
  }

 private:
  template <typename Map, typename Tell>
  static void each(const Map& a, const Map& b, const Tell& tell) {
    for (const auto& [key, count] : a) {
      const auto other = b.find(key);
      tell(key, count, other == b.end() ? 0 : other->second);
    }
    for (const auto& [key, count] : b)
      if (!a.contains(key)) tell(key, 0, count);
  }
  void add(PathDifference difference) {
    if (difference.a == difference.b) {
      ++out_.same;
    } else {
      (difference.b == 0   ? out_.only_a
       : difference.a == 0 ? out_.only_b
                           : out_.changed)
          .push_back(std::move(difference));
    }
  }

  const PathFunctionKey& key_;
  PathDifferences& out_;
};

uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

PathDifferences diff_paths(const PathCounts& a, const PathCounts& b) {
  PathDifferences out;
  for (const auto& [key, in_a] : a) {
    const auto it = b.find(key);
    if (it == b.end()) {
      out.functions_a.push_back(key);
      continue;
    }
    FunctionDiff diff(key, out);
    if (in_a.has_same_code(it->second)) {
      diff.by_blocks(in_a, it->second);
    } else if (!diff.by_lines(in_a, it->second)) {
      out.not_compared.push_back(key);
    }
  }
  for (const auto& [key, in_b] : b)
    if (!a.contains(key)) out.functions_b.push_back(key);
  for (std::vector<PathDifference>* list : {&out.only_a, &out.only_b, &out.changed})
    std::ranges::stable_sort(*list, std::greater{}, [](const PathDifference& difference) {
      return distance(difference.a, difference.b);
    });
  return out;
}

NeverPaths never_paths(const std::vector<PathCounts>& runs) {
  NeverPaths out;
  std::map<PathFunctionKey, std::vector<const FunctionPaths*>> functions;
  for (const PathCounts& run : runs)
    for (const auto& [key, paths] : run) functions[key].push_back(&paths);
  for (const auto& [key, all] : functions) {
    const FunctionPaths& first = *all.front();
    const bool is_same = std::ranges::all_of(all, [&](const FunctionPaths* other) {
      return first.has_same_code(*other) && other->knows_pairs;
    });
    if (!is_same) {
      ++out.not_compared;
      continue;
    }
    std::set<std::pair<uint32_t, uint32_t>> taken;
    std::set<FunctionPaths::Blocks> paths;
    std::vector<uint64_t> executions(first.body.blocks.size());
    for (const FunctionPaths* run : all) {
      for (const auto& [blocks, count] : run->paths) {
        paths.insert(blocks);
        for (size_t i = 0; i < blocks.size(); ++i) {
          if (blocks[i] < executions.size()) executions[blocks[i]] += count;
          if (i > 0) taken.emplace(blocks[i - 1], blocks[i]);
        }
      }
      for (const auto& [pair, count] : run->pairs)
        taken.emplace(pair.first.back(), pair.second.front());
    }
    for (uint32_t b = 0; b < first.body.blocks.size(); ++b) {
      if (executions[b] == 0) continue;
      for (const uint32_t next : first.body.blocks[b].next)
        if (!taken.contains({b, next}))
          out.edges.push_back({key, b, next, first_line(first, b, true),
                               first_line(first, next, false), executions[b]});
    }
    out.functions.push_back({key, paths.size(), possible_paths(first.body)});
  }
  std::ranges::stable_sort(out.edges, std::greater{}, &NeverTaken::executions);
  return out;
}

}  // namespace twinrun
