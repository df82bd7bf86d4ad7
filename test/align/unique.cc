// SPDX-License-Identifier: MIT
// unique RECORDING SEED MOMENTS: memory indices of real programs are valid. At random moments of
// every process: parts of regions do not overlap; each address that a part has maps to an index and
// back to itself; no two regions have one index or one name; a live block of the heap, as the log
// of allocations tells it, is a region; and contents are those that looking backward (PastMemory)
// finds.
#include "opened.h"
#include "values/past_memory.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

struct Counts {
  uint64_t moments = 0, regions = 0, addresses = 0, faults = 0;
  uint64_t blocks = 0, compared = 0, unknown = 0;
  uint64_t deepest = 0;
  double lookup_ns = 0;
};

void fault(Counts& counts, const Position& at, const std::string& text) {
  ++counts.faults;
  std::printf("%s: %s\n", format_position(at, PositionForm::kFull).c_str(), text.c_str());
}

void check_names(const MemoryMap& map, const RegionTree& tree, const Position& at, Counts& counts) {
  std::set<std::vector<RegionLabel>> names;
  for (const Region& region : map.regions()) {
    ++counts.regions;
    if (!names.insert(tree.path(region.id)).second) fault(counts, at, "two regions of one name");
    if (map.region(region.id) != &region) fault(counts, at, "a region is not found by its name");
  }
  // Such regions have names of their own, but by their order, which another run need not share.
  if (map.ambiguous() != 0)
    fault(counts, at, fmt::format("{} regions have the index of another", map.ambiguous()));
}

void check_addresses(const MemoryMap& map, const Position& at, std::mt19937_64& random,
                     Counts& counts) {
  uint64_t end = 0;
  std::vector<uint64_t> drawn;
  for (const MemoryMap::Piece& piece : map.pieces()) {
    if (piece.begin < end || piece.end <= piece.begin) fault(counts, at, "parts overlap");
    end = piece.end;
    const uint64_t size = piece.end - piece.begin;
    for (const uint64_t address : {piece.begin, piece.end - 1, piece.begin + random() % size,
                                   piece.begin + random() % size}) {
      drawn.push_back(address);
      const Region* region = map.region_at(address);
      if (region != &map.regions()[piece.region])
        fault(counts, at, fmt::format("{:#x} is in another region", address));
      const auto index = map.index_of(address);
      if (!index || map.address_of(*index) != address)
        fault(counts, at, fmt::format("{:#x} does not come back", address));
      ++counts.addresses;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  uint64_t sum = 0;
  for (const uint64_t address : drawn) sum += map.index_of(address)->region;
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  if (sum != 0)
    counts.lookup_ns = std::max(counts.lookup_ns, took.count() / static_cast<double>(drawn.size()));
}

void check_heap(const MemoryMap& map, const AllocationLog& log, const Position& at,
                Counts& counts) {
  for (const Allocation& made : log.all()) {
    if (!made.lives_at(map.memory().blocks()) || made.size == 0) continue;
    // The moment may be inside the block in which the allocator returns.
    if (made.block == map.memory().blocks()) continue;
    const Region* region = map.region_at(made.address);
    // A stack may lie in it, or the record of a thread.
    if (region != nullptr && region->kind != RegionLabel::Kind::kHeap &&
        region->kind != RegionLabel::Kind::kBreak && region->kind != RegionLabel::Kind::kMapping)
      continue;
    ++counts.blocks;
    if (region == nullptr || region->allocation == nullptr ||
        region->allocation->made.block != made.block || region->base != made.address)
      fault(counts, at, fmt::format("the block at {:#x} is no region", made.address));
  }
}

void check_contents(Run& run, const MemoryMap& map, const Position& at, std::mt19937_64& random,
                    Counts& counts) {
  ProcessView& view = *must(view_of(run, at.process.value));
  const ProcessValues::Found found = must(view.values->find(at.thread, at.step));
  const SegmentValues& segment = *must(view.values->segment(found.block.segment));
  const BlockDef* def = view.values->dictionary().find(segment.value(found.block.ordinal));
  const BlockFlow& flow = *must(view.flows.of(*def));
  uint32_t statement = 0;
  while (statement < flow.instruction_of.size() &&
         flow.instruction_of[statement] < found.instruction)
    ++statement;
  PastMemory past(view, {found.block, statement});
  for (int i = 0; i < 40; ++i) {
    const MemoryMap::Piece& piece = map.pieces()[random() % map.pieces().size()];
    const uint64_t address = piece.begin + random() % (piece.end - piece.begin);
    uint8_t a = 0;
    uint8_t b = 0;
    const bool in_image = map.memory().read(address, {&a, 1}) == 1;
    const bool in_past = past.read(address, {&b, 1});
    if (!in_image || !in_past) {
      ++counts.unknown;
      continue;
    }
    ++counts.compared;
    if (a != b) fault(counts, at, fmt::format("{:#x} is {:#x}, read as {:#x}", address, b, a));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto opened = must(Run::open(argv[1]));
  Run& run = *opened;
  const Reader* reader = &run.reader();
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  const uint64_t moments = std::strtoull(argv[3], nullptr, 10);
  Counts counts;
  for (const auto& [number, process] : reader->processes()) {
    if (process.thread_steps.empty()) continue;
    CodeSpace space;
    BirthIndices indices(run, space);
    must(indices.add(number));
    const AllocationLog log = must(AllocationLog::build(*must(run.process(number)), {}));
    for (uint64_t i = 0; i < moments; ++i) {
      auto thread = process.thread_steps.begin();
      std::advance(thread, random() % process.thread_steps.size());
      if (thread->second < 20) continue;
      // A small program is mostly its loader: every other moment is near the end.
      const uint64_t from = i % 2 == 0 ? 0 : thread->second - thread->second / 20;
      const Position at{{number}, {thread->first}, {from + random() % (thread->second - from)}};
      const auto memory = must(LiveMemory::at(run, at, {}));
      RegionTree tree;
      {
        const auto map = must(MemoryMap::build(*memory, tree, indices.source()));
        ++counts.moments;
        check_names(*map, tree, at, counts);
        check_addresses(*map, at, random, counts);
        check_heap(*map, log, at, counts);
        check_contents(run, *map, at, random, counts);
        counts.deepest = std::max<uint64_t>(counts.deepest, tree.deepest());
      }
      if (tree.size() != 0) fault(counts, at, "regions are left in the tree");
    }
  }
  std::printf(
      "%lu moments, %lu regions, %lu addresses, %lu blocks of the heap, %lu bytes "
      "the same (%lu unknown), depth %lu, lookup %.0f ns; %lu faults\n",
      counts.moments, counts.regions, counts.addresses, counts.blocks, counts.compared,
      counts.unknown, counts.deepest, counts.lookup_ns, counts.faults);
  // A lookup must stay below ten microseconds.
  return counts.faults != 0 || counts.moments == 0 || counts.lookup_ns > 10000 ? 1 : 0;
}
