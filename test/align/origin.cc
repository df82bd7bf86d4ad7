// SPDX-License-Identifier: MIT
// origin RECORDING WHERE VARIABLE...: what each pointer stands for, by its value (lazy semantics)
// and by where it came from (online semantics).
#include "align/typed_memory.h"
#include "memory/provenance.h"
#include "opened.h"
#include "run/source_position.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

std::string text_of(const MemoryMap& map, MemoryTexts& texts,
                    const std::optional<MemoryIndex>& index) {
  if (!index) return "?";
  const Region* region = map.region(index->region);
  const std::string name = region->name.empty() ? texts.region(index->region) : region->name;
  return fmt::format("{}{:+}", name, index->offset);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  static constexpr const char* kKinds[] = {"allocation", "stack", "code", "outside", "unknown"};
  CodeSpace space;
  OpenedRun opened(argv[1], space);
  const Position at = must(find_position(argv[2], opened.run, {}));
  must(opened.indices.add(at.process.value));
  RegionTree tree;
  const auto memory = must(LiveMemory::at(opened.run, at, {}));
  const auto map = opened.names(*memory, tree);
  const AllocationLog log =
      must(AllocationLog::build(*must(opened.run.process(at.process.value)), {}));
  MemoryTexts texts(tree, opened.run.binaries(), node_places(space));
  Provenance provenance(*must(view_of(opened.run, at.process.value)), *map, log);
  const std::vector<TypedObject> variables = find_variables(*map).in_memory;
  for (int i = 3; i < argc; ++i) {
    const auto found = std::ranges::find(variables, argv[i], &TypedObject::name);
    if (found == variables.end()) {
      std::printf("%s: no such variable\n", argv[i]);
      continue;
    }
    const uint64_t address = *map->address_of({found->region, found->offset});
    const auto start = std::chrono::steady_clock::now();
    const PointerOrigin origin = must(provenance.of_memory(address));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%s | %s | %s | %s%s%s\n", argv[i],
                text_of(*map, texts, map->index_of(memory->word(address).value_or(0))).c_str(),
                text_of(*map, texts, origin.index).c_str(), kKinds[static_cast<int>(origin.kind)],
                origin.why.empty() ? "" : ": ", origin.why.c_str());
    std::fprintf(stderr, "origin: %s: %u steps, %.3f s\n", argv[i], origin.steps, took.count());
  }
  return 0;
}
