// SPDX-License-Identifier: MIT
// pointers RECORDING SEED COUNT: both semantics of pointers in real programs. At one moment near
// the end, pointers to the heap and the stack are drawn from the memory of the first process. One
// that has never left its region must stand for the same place by its value and by where it came
// from.
#include "memory/provenance.h"
#include "opened.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

/// Addresses of words that hold the address of a block of the heap or of a frame.
std::vector<uint64_t> find_pointers(const MemoryMap& map) {
  std::vector<uint64_t> out;
  const MemoryImage& image = map.memory().image();
  for (const MemoryMap::Piece& piece : map.pieces()) {
    const Region& region = map.regions()[piece.region];
    if (region.is_internal || region.kind == RegionLabel::Kind::kThread) continue;
    for (uint64_t at = (piece.begin + 7) / 8 * 8; at + 8 <= piece.end; at += 8) {
      const MemoryImage::Page* page = image.page(at / MemoryImage::kPage);
      if (page == nullptr) {
        at = at / MemoryImage::kPage * MemoryImage::kPage + MemoryImage::kPage - 8;
        continue;
      }
      if (!MemoryImage::bit(page->stored, at) || MemoryImage::bit(page->inside, at)) continue;
      const Region* to = map.region_at(map.memory().word(at).value_or(0));
      if (to != nullptr && (to->allocation != nullptr || to->frame != nullptr)) out.push_back(at);
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  CodeSpace space;
  OpenedRun opened(argv[1], space);
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  const size_t count = std::strtoull(argv[3], nullptr, 10);
  const Process& process = opened.run.reader().processes().begin()->second;
  const uint64_t steps = process.thread_steps.at(1);
  const Position at{{process.info.number}, {1}, {steps - random() % (steps / 10 + 1) - 1}};
  must(opened.indices.add(process.info.number));
  RegionTree tree;
  const auto memory = must(LiveMemory::at(opened.run, at, {}));
  const auto map = opened.names(*memory, tree);
  const AllocationLog log =
      must(AllocationLog::build(*must(opened.run.process(process.info.number)), {}));
  MemoryTexts texts(tree, opened.run.binaries(), node_places(space));
  Provenance provenance(*must(view_of(opened.run, process.info.number)), *map, log);
  std::vector<uint64_t> all = find_pointers(*map);
  std::ranges::shuffle(all, random);
  all.resize(std::min(all.size(), count));
  uint64_t same = 0;
  uint64_t other = 0;
  std::map<std::string, uint64_t> unknown;
  for (const uint64_t address : all) {
    const PointerOrigin origin = must(provenance.of_memory(address));
    const auto lazy = map->index_of(*memory->word(address));
    if (!origin.index) {
      ++unknown[origin.why];
      if (argc > 4)
        std::printf("%#lx: %#lx is %s%+ld, came from %#lx (%d): %s\n", address, origin.value,
                    texts.region(lazy->region).c_str(), lazy->offset, origin.origin,
                    static_cast<int>(origin.kind), origin.why.c_str());
      continue;
    }
    if (origin.index == lazy) {
      ++same;
      continue;
    }
    ++other;
    std::printf("%#lx: %#lx is %s%+ld, came from %s%+ld\n", address, origin.value,
                texts.region(lazy->region).c_str(), lazy->offset,
                texts.region(origin.index->region).c_str(), origin.index->offset);
  }
  std::printf("%lu pointers the same both ways, %lu not", same, other);
  for (const auto& [why, times] : unknown) std::printf("; %s: %lu", why.c_str(), times);
  std::printf("\n");
  return other * 20 > all.size() || same * 2 < all.size() ? 1 : 0;
}
