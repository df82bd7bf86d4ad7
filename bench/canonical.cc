// SPDX-License-Identifier: MIT
// canonical A B: section 7.2 of the memory indexing paper for two runs. Of the accesses to memory
// by instructions that correspond, how many have the same address, and how many the same memory
// index? Prints: instructions of A, of those aligned; heap accesses, with equal addresses, with
// equal indices; the same three for the stack.
#include "align/pairs.h"
#include "align/run_pair.h"
#include "memory/allocations.h"
#include "values/access_walk.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdio>
#include <cstdlib>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

template <typename T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "canonical: %s\n", result.error().message.c_str());
  std::exit(2);
}

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccdull;
  return hash ^ hash >> 29;
}

uint64_t hash_of(const IndexEntry& entry, uint64_t hash) {
  for (const uint64_t value : {uint64_t{static_cast<uint8_t>(entry.kind)}, uint64_t{entry.site},
                               uint64_t{entry.outcome}, entry.count})
    hash = mix(hash, value);
  return hash;
}

/// A canonical place: regions by hash, so that both runs have the same.
struct Index {
  enum class Kind { kNone, kHeap, kStack };
  Kind kind = Kind::kNone;
  uint64_t region = 0;
  int64_t offset = 0;
};

class Side {
 public:
  explicit Side(Run& opened) : run(opened) {}

  void open(CodeModel& model) {
    code = must(run.process(1));
    if (!model.add(code->code())) std::exit(2);
    view = must(view_of(run, 1));
  }

  void prepare(CodeModel& model) {
    log = must(AllocationLog::build(*code, {}));
    std::vector<BlockMoment> moments;
    for (const Allocation& made : log.all()) moments.push_back({made.block, ThreadNo{1}});
    regions.resize(moments.size());
    const auto told =
        indices_at(model, code->code(), moments, [&](size_t i, const StructuralIndex& index) {
          uint64_t hash = mix(1, index.address);
          for (const IndexEntry& entry : index.path) hash = hash_of(entry, hash);
          regions[i] = hash;
        });
    if (!told) std::exit(2);
    walk = std::make_unique<IndexWalk>(model, code->code(), ThreadNo{1});
    accesses = std::make_unique<AccessWalk>(*view, ThreadNo{1});
  }

  Index index_of(const ThreadAccess& access) {
    const uint64_t block = view->number_of(access.block);
    if (const Allocation* found = log.containing(access.address, block + 1))
      return {Index::Kind::kHeap, regions[static_cast<size_t>(found - log.all().data())],
              static_cast<int64_t>(access.address - found->address)};
    const Mapping* mapping = view->maps.find({access.address}, block);
    if (mapping != nullptr && mapping->file != Mapping::kNoFile) return {};
    if (!must(walk->arrive_at(block))) return {};
    const auto frame = walk->frame_holding(access.address);
    constexpr uint64_t kFrameMost = 1 << 20;
    if (!frame || frame->sp + 8 - access.address > kFrameMost) return {};
    uint64_t hash = 2;
    const auto path = walk->path();
    for (size_t i = 0; i < std::min(frame->entries, path.size()); ++i)
      if (path[i].kind == IndexEntry::Kind::kCall || path[i].kind == IndexEntry::Kind::kTail)
        hash = mix(mix(hash, path[i].site), path[i].outcome);
    return {Index::Kind::kStack, hash, static_cast<int64_t>(access.address - frame->sp)};
  }

  Run& run;
  RunProcess* code = nullptr;
  ProcessView* view = nullptr;
  AllocationLog log;
  std::vector<uint64_t> regions;
  std::unique_ptr<IndexWalk> walk;
  std::unique_ptr<AccessWalk> accesses;
};

struct Counts {
  uint64_t all = 0;
  uint64_t address = 0;
  uint64_t index = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto runs = must(RunPair::open(argv[1], argv[2]));
  Side a(runs->a());
  Side b(runs->b());
  const AlignReport& report = *must(runs->align());
  CodeModel model;
  a.open(model);
  b.open(model);
  a.prepare(model);
  b.prepare(model);
  Counts heap;
  Counts stack;
  const ThreadAlignment& thread = report.threads.at(0);
  for (const AlignedRegion& region : thread.regions) {
    if (!region.is_aligned) continue;
    ThreadAccess x;
    ThreadAccess y;
    bool has_x = must(a.accesses->next(region.a.from, region.a.to, x));
    bool has_y = must(b.accesses->next(region.b.from, region.b.to, y));
    while (has_x && has_y) {
      const uint64_t at_x = x.step - region.a.from;
      const uint64_t at_y = y.step - region.b.from;
      if (at_x == at_y) {
        const Index of_x = a.index_of(x);
        const Index of_y = b.index_of(y);
        if (of_x.kind != Index::Kind::kNone) {
          Counts& counts = of_x.kind == Index::Kind::kHeap ? heap : stack;
          ++counts.all;
          counts.address += x.address == y.address ? 1 : 0;
          counts.index +=
              of_x.kind == of_y.kind && of_x.region == of_y.region && of_x.offset == of_y.offset
                  ? 1
                  : 0;
        }
      }
      if (at_x <= at_y) has_x = must(a.accesses->next(region.a.from, region.a.to, x));
      if (at_y <= at_x) has_y = must(b.accesses->next(region.b.from, region.b.to, y));
    }
  }
  std::printf("%lu %lu %lu %lu %lu %lu %lu %lu\n", thread.steps_a, thread.aligned, heap.all,
              heap.address, heap.index, stack.all, stack.address, stack.index);
  return 0;
}
