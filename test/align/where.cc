// SPDX-License-Identifier: MIT
// where [--allocator RULE] RECORDING POSITION ADDRESS...: the region that each address belongs to.
#include "run/call_indices.h"
#include "run/source_position.h"

#include <cstdio>
#include <cstdlib>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

template <typename T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "where: %s\n", result.error().message.c_str());
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  LiveMemory::Options options;
  if (argc > 2 && std::string_view(argv[1]) == "--allocator") {
    options.allocators = must(parse_allocator(argv[2]));
    argv += 2;
    argc -= 2;
  }
  if (argc < 3) return 2;
  const auto reader = must(Reader::open(argv[1]));
  Binaries binaries(*reader);
  RunView run(*reader, binaries);
  const Position at = must(find_position(argv[2], *reader, binaries, {}));
  RegionTree tree;
  const auto memory = must(LiveMemory::at(run, at, options));
  const auto map = must(MemoryMap::build(*memory, tree, call_indices(run, tree)));
  MemoryTexts texts(tree, binaries, [&](CodeNode node) -> std::optional<CodePlace> {
    const CodePlace* place = tree.place_of(node);
    return place == nullptr ? std::nullopt : std::optional(*place);
  });
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
