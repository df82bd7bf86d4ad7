// SPDX-License-Identifier: MIT
// mem [--online] A B WHERE: compares the memories of two recordings at a place, by memory index
// and by reference paths, and prints one line a difference.
#include "align/mem_comp.h"
#include "align/symbolic_comp.h"
#include "memory/provenance.h"
#include "opened.h"
#include "run/source_position.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

struct Side : OpenedRun {
  using OpenedRun::OpenedRun;
  std::unique_ptr<LiveMemory> memory;
  std::unique_ptr<MemoryMap> map;
  AllocationLog log;
  std::unique_ptr<Provenance> provenance;

  PointerIndex pointers() {
    const uint32_t process = memory->position().process.value;
    log = must(AllocationLog::build(*must(run.process(process)), {}));
    provenance = std::make_unique<Provenance>(*must(view_of(run, process)), *map, log);
    return [this](uint64_t address) { return must(provenance->of_memory(address)).index; };
  }
  MomentOfRun moment(const char* where) {
    const Position at = must(find_position(where, run, {}));
    must(indices.add(at.process.value));
    return {&run, at};
  }
};

const char* const kWhere[] = {"module", "stack",  "heap",  "mapping",
                              "brk",    "thread", "start", "start"};

}  // namespace

int main(int argc, char** argv) {
  const bool online = argc > 1 && std::string_view(argv[1]) == "--online";
  if (online) ++argv, --argc;
  if (argc != 4) return 2;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  RegionTree tree;
  CodeSpace space;
  Side a(argv[1], space);
  Side b(argv[2], space);
  MemoryPair pair = must(live_memories(a.moment(argv[3]), b.moment(argv[3]), {}));
  const double walked = seconds();
  a.memory = std::move(pair.a);
  b.memory = std::move(pair.b);
  a.map = a.names(*a.memory, tree);
  b.map = b.names(*b.memory, tree);
  const double opened = seconds();
  MemoryTexts texts(tree, a.run.binaries(), node_places(space));
  MemCompOptions options;
  if (online) {
    options.online_a = a.pointers();
    options.online_b = b.pointers();
  }
  const MemoryComparison found = compare_memory(*a.map, *b.map, texts, options);
  const double compared = seconds();
  static constexpr const char* kKinds[] = {"value", "pointer", "size", "only A", "only B"};
  for (const MemoryDifference& row : found.rows) {
    std::printf("%s | %s | %s%+ld:%lu | %s | %s | %s | %s\n", kKinds[static_cast<int>(row.kind)],
                kWhere[static_cast<int>(row.where)], row.region.c_str(), row.index.offset, row.size,
                row.name.c_str(), row.type.c_str(), row.value_a.c_str(), row.value_b.c_str());
  }
  const SymbolicComparison symbolic = compare_symbolically(*a.map, *b.map, {.locals = false});
  static constexpr const char* kSymbolic[] = {"value", "only A", "only B"};
  for (const SymbolicDifference& row : symbolic.rows)
    std::printf("symbolic | %s | %s | %s | %s\n", kSymbolic[static_cast<int>(row.kind)],
                row.path.c_str(), row.value_a.c_str(), row.value_b.c_str());
  const auto& c = found.counts;
  std::printf(
      "%zu differences by index, %zu by path; %lu regions on both sides, %lu only in A, %lu only "
      "in "
      "B; bytes: %lu same, %lu different, %lu unwritten, %lu unknown, %lu of the allocator, %lu "
      "unpaired; %lu pointers compared, %lu of them online, %lu dangling, %lu ambiguous, %lu cut\n",
      found.rows.size(), symbolic.rows.size(), c.regions, c.only_a, c.only_b, c.same, c.different,
      c.unwritten, c.unknown, c.allocator, c.unpaired, c.pointers, c.online, c.dangling,
      c.ambiguous, c.cut);
  std::fprintf(stderr, "mem: memories %.2f s, indices %.2f s, comparison %.2f s, by path %.2f s\n",
               walked, opened - walked, compared - opened, seconds() - compared);
  return found.rows.empty() ? 0 : 1;
}
