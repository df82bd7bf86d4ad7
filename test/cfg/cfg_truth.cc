// SPDX-License-Identifier: MIT
// What the control flow of real programs is compared with:
//
//   cfg_truth edges RECORDING        executed edges against the graphs that decoding alone gives
//   cfg_truth graphs BINARY          dominators of every function against their definition
//   cfg_truth functions WHOLE STRIPPED   functions by .eh_frame against those by symbols
//
// Prints "key value" lines; the scripts beside it know what must hold.
#include "counts/flow.h"
#include "program/dominators.h"
#include "program/instruction.h"
#include "program/loops.h"
#include "run/executable_files.h"
#include "trace/reader.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

using namespace twinrun;

namespace {

template <typename T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s %s\n", result.error().code.c_str(), result.error().message.c_str());
  std::exit(2);
}

struct Share {
  uint64_t all = 0;
  uint64_t explained = 0;
  void add(bool good) {
    ++all;
    explained += good ? 1 : 0;
  }
};

struct Shares {
  Share jumps;    // inside functions
  Share returns;  // arrivals behind calls and at landing pads
  Share known;    // jumps and returns, with the executed edges told
  uint64_t contradicted = 0;
};

// Is the step from one instruction to another in the graph?
bool has_step(const Cfg& cfg, const Instruction& from, uint64_t to) {
  if (from.repeats && to == from.address) return true;
  for (uint32_t i = 0; i < cfg.blocks.size(); ++i) {
    const CodeBlock& block = cfg.blocks[i];
    if (from.address < block.start || from.address >= block.end) continue;
    if (from.address != block.last) {
      if (from.end() == to && to < block.end) return true;
      continue;
    }
    const auto target = cfg.block_at(to);
    if (!target) continue;
    for (const CfgEdge& edge : cfg.edges)
      if (edge.from == i && edge.to == *target) return true;
  }
  return false;
}

// Control came back behind a call that the graph says to return, or to a landing pad.
bool has_arrival(const Cfg& cfg, uint64_t to) {
  const auto block = cfg.block_at(to);
  if (!block) return false;
  for (const CfgEdge& edge : cfg.edges)
    if (edge.to == *block &&
        (edge.kind == EdgeKind::kCallReturn || edge.kind == EdgeKind::kException))
      return true;
  return false;
}

void compare(const CodeImage& image, const ControlFlow& alone, const ControlFlow& told,
             const ExecutedFlow& executed, Shares& out, const char* path) {
  const Decoder decoder;
  const FunctionTable& table = alone.functions();
  const bool verbose = std::getenv("CFG_TRUTH_VERBOSE") != nullptr;
  for (const CountedEdge& counted : executed.edges) {
    const auto [from, to] = counted.edge;
    const auto here = table.find(to);
    if (to == ObservedEdge::kElsewhere || !here || table[*here].is_stub) continue;
    const uint32_t f = table.whole(*here);
    const auto told_here = told.functions().find(to);
    const Cfg& told_cfg = told.cfg(told.functions().whole(told_here.value_or(0)));
    const auto instruction =
        from == ObservedEdge::kElsewhere ? std::nullopt : decoder.decode(image.at(from), from);
    const auto there = instruction ? table.find(from) : std::nullopt;
    const bool same = there && table.whole(*there) == f;
    const char* what = nullptr;
    if (same && !instruction->is_call() && instruction->flow != Flow::kReturn) {
      const bool good = has_step(alone.cfg(f), *instruction, to);
      out.jumps.add(good);
      const bool known = has_step(told_cfg, *instruction, to);
      out.known.add(known);
      if (!known && verbose)
        fmt::print("not told {:#x} -> {:#x} in {} of {}\n", from, to, table[f].label(), path);
      if (!good) what = "jump";
    } else if ((!instruction || instruction->flow == Flow::kReturn) && to != table[f].address &&
               !table.at(to)) {
      const bool good = has_arrival(alone.cfg(f), to);
      out.returns.add(good);
      if (!good) what = "return";
    }
    if (what != nullptr && verbose)
      fmt::print("missing {} {:#x} -> {:#x} in {} of {}\n", what, from, to, table[f].label(), path);
  }
  for (uint32_t f = 0; f < told.functions().size(); ++f) {
    out.contradicted += told.cfg(f).unexplained;
    if (verbose && told.cfg(f).unexplained > 0)
      fmt::print("contradicted {} in {} of {}\n", told.cfg(f).unexplained,
                 told.functions()[f].label(), path);
  }
}

int edges(const char* path) {
  const auto run = must(Run::open(path));
  const Reader* reader = &run->reader();
  std::vector<uint32_t> processes;
  for (const auto& [number, process] : reader->processes()) processes.push_back(number);
  Binaries& binaries = run->binaries();
  Shares all;
  for (const MappedFile& file : must(executable_files(*reader, processes))) {
    const auto code = binaries.module(file);
    if (!code) continue;
    const ExecutedFlow executed = must(executed_flow(*run, processes, file.path));
    const ModuleFlow told = module_flow(binaries, file, executed);
    compare((*code)->image(), (*code)->flow(), told.flow, executed, all, file.path.c_str());
  }
  fmt::print("jumps {}\njumps_explained {}\nreturns {}\nreturns_explained {}\n", all.jumps.all,
             all.jumps.explained, all.returns.all, all.returns.explained);
  fmt::print("told {}\ntold_explained {}\ncontradicted {}\n", all.known.all, all.known.explained,
             all.contradicted);
  return 0;
}

// ---- graphs ----

// What the root reaches without a node.
std::vector<bool> reached(const Digraph& graph, uint32_t root, uint32_t without) {
  std::vector<bool> seen(graph.size());
  if (root == without) return seen;
  std::vector<uint32_t> work{root};
  seen[root] = true;
  while (!work.empty()) {
    const uint32_t node = work.back();
    work.pop_back();
    for (const uint32_t to : graph.successors(node))
      if (to != without && !seen[to]) {
        seen[to] = true;
        work.push_back(to);
      }
  }
  return seen;
}

// The number of pairs in which tree and definition differ.
uint64_t differences(const Digraph& graph, uint32_t root, const DominatorTree& tree) {
  uint64_t out = 0;
  const auto all = reached(graph, root, Digraph::kNone);
  for (uint32_t a = 0; a < graph.size(); ++a) {
    const auto seen = reached(graph, root, a);
    for (uint32_t b = 0; b < graph.size(); ++b)
      out += tree.dominates(a, b) != (all[a] && all[b] && !seen[b]) ? 1 : 0;
  }
  return out;
}

int graphs(const char* path) {
  const CodeImage image = must(CodeImage::from_file(path));
  const ElfSymbols symbols = must(ElfSymbols::from_file(path));
  const auto frames = read_eh_frame(image);
  const ControlFlow flow =
      ControlFlow::build(image, FunctionTable::make(image, &symbols, frames), frames);
  uint64_t functions = 0, blocks = 0, wrong = 0, lost = 0, largest = 0, skipped = 0;
  const char* most = std::getenv("CFG_TRUTH_MOST_BLOCKS");
  for (uint32_t f = 0; f < flow.functions().size(); ++f) {
    const Cfg& cfg = flow.cfg(f);
    if (cfg.blocks.empty()) continue;
    if (most != nullptr && cfg.blocks.size() > std::strtoull(most, nullptr, 10)) {
      ++skipped;
      continue;
    }
    const Digraph graph = cfg.graph();
    const PostDominators post = post_dominators(graph, cfg.entry, cfg.exits());
    wrong += differences(graph, cfg.entry, dominators(graph, cfg.entry));
    wrong += differences(post.graph.reversed(), post.exit(), post.tree);
    for (uint32_t block = 0; block < graph.size(); ++block)
      lost += post.tree.reached(block) ? 0 : 1;
    if (!control_dependence(post)) ++lost;
    ++functions;
    blocks += graph.size();
    largest = std::max<uint64_t>(largest, graph.size());
  }
  fmt::print("functions {}\nskipped {}\nblocks {}\nlargest {}\nwrong {}\nlost {}\n", functions,
             skipped, blocks, largest, wrong, lost);
  return 0;
}

// ---- functions ----

int functions(const char* whole_path, const char* stripped_path) {
  const auto load = [](const char* path) {
    const CodeImage image = must(CodeImage::from_file(path));
    const ElfSymbols symbols = must(ElfSymbols::from_file(path));
    const auto frames = read_eh_frame(image);
    return ControlFlow::build(image, FunctionTable::make(image, &symbols, frames), frames);
  };
  const ControlFlow whole = load(whole_path);
  const ControlFlow stripped = load(stripped_path);
  uint64_t all = 0, found = 0, same_size = 0, extra = 0, cold = 0, cold_found = 0, wrong = 0;
  const bool verbose = std::getenv("CFG_TRUTH_VERBOSE") != nullptr;
  for (uint32_t f = 0; f < whole.functions().size(); ++f) {
    const CodeFunction& function = whole.functions()[f];
    if (function.source != FunctionSource::kSymbol || function.is_stub) continue;
    ++all;
    const auto same = stripped.functions().at(function.address);
    found += same ? 1 : 0;
    if (!same && verbose) fmt::print("missing {}\n", function.label());
    same_size += same && stripped.functions()[*same].size == function.size ? 1 : 0;
    if (function.parent == CodeFunction::kNone) {
      const bool joined = same && stripped.functions()[*same].parent != CodeFunction::kNone;
      wrong += joined ? 1 : 0;
      if (joined && verbose) fmt::print("wrongly joined {}\n", function.label());
      continue;
    }
    ++cold;
    cold_found += same && stripped.functions()[*same].parent != CodeFunction::kNone &&
                          stripped.functions()[stripped.functions().whole(*same)].address ==
                              whole.functions()[whole.functions().whole(f)].address
                      ? 1
                      : 0;
    if (verbose && same && stripped.functions()[*same].parent == CodeFunction::kNone)
      fmt::print("not joined {} {:#x}\n", function.label(), function.address);
  }
  for (const CodeFunction& function : stripped.functions().all())
    if (!function.is_stub && !whole.functions().at(function.address)) ++extra;
  fmt::print("functions {}\nfound {}\nsame_size {}\nextra {}\ncold {}\ncold_linked {}\nwrong {}\n",
             all, found, same_size, extra, cold, cold_found, wrong);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], "edges") == 0) return edges(words[2]);
  if (count == 3 && std::strcmp(words[1], "graphs") == 0) return graphs(words[2]);
  if (count == 4 && std::strcmp(words[1], "functions") == 0) return functions(words[2], words[3]);
  std::fprintf(stderr, "usage: cfg_truth edges RECORDING | graphs BINARY | functions A B\n");
  return 2;
}
