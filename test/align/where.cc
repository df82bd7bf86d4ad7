// SPDX-License-Identifier: MIT
// where [--allocator RULE] RECORDING POSITION ADDRESS...: the region that each address belongs to.
#include "opened.h"
#include "run/source_position.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

int main(int argc, char** argv) {
  LiveMemory::Options options;
  if (argc > 2 && std::string_view(argv[1]) == "--allocator") {
    options.allocators = must(parse_allocator(argv[2]));
    argv += 2;
    argc -= 2;
  }
  if (argc < 3) return 2;
  CodeSpace space;
  OpenedRun opened(argv[1], space);
  const Position at = must(find_position(argv[2], opened.run, {}));
  must(opened.indices.add(at.process.value));
  RegionTree tree;
  const auto memory = must(LiveMemory::at(opened.run, at, options));
  const auto map = opened.names(*memory, tree);
  MemoryTexts texts(tree, opened.run.binaries(), node_places(space));
  for (int i = 3; i < argc; ++i) {
    const auto index = map->index_of(std::strtoull(argv[i], nullptr, 16));
    if (!index) {
      std::printf("%s | none\n", argv[i]);
      continue;
    }
    const Region& region = *map->region(index->region);
    std::printf("%s | %s | %s | %+ld | thread %u\n", argv[i], texts.region(index->region).c_str(),
                region.name.c_str(), index->offset, region.thread.value);
  }
  return 0;
}
