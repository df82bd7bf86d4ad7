// SPDX-License-Identifier: MIT
// past RECORDING SEED QUERIES: memory at a moment against what the program itself found there. For
// loads drawn at random from the whole recording, the bytes that PastMemory tells in front of the
// load must be those that the load got; the shares of the loads that it knows is printed, and has a
// floor.
#include "values/past_memory.h"

#include <cstdio>
#include <cstdlib>
#include <random>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

template <typename T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "past: %s\n", result.error().message.c_str());
  std::exit(2);
}

struct Load {
  Moment at;
  uint64_t address = 0;
  uint32_t size = 0;
  uint64_t value = 0;
};

/// A fair sample of the loads of at most 8 bytes.
std::vector<Load> draw(ProcessView& view, std::mt19937_64& random, size_t count) {
  std::vector<Load> out;
  uint64_t seen = 0;
  for (uint32_t number = 0; number < view.values->segments(); ++number) {
    const SegmentValues segment = *must(view.values->segment(number));
    for (uint32_t ordinal = 0; ordinal < segment.block_count(); ++ordinal) {
      const BlockDef* def = view.values->dictionary().find(segment.value(ordinal));
      const BlockFlow& flow = *must(view.flows.of(*def));
      for (uint32_t i = segment.first_access[ordinal]; i < segment.first_access[ordinal + 1]; ++i) {
        const uint32_t index = i - segment.first_access[ordinal];
        const MemoryAccess& access = flow.code->accesses[index];
        if (access.kind != MemoryAccess::Kind::kLoad || access.size > 8 ||
            segment.addresses[i] == SegmentValues::kNotDone)
          continue;
        const uint64_t slot = out.size() < count ? out.size() : random() % ++seen;
        if (out.size() < count) ++seen;
        if (slot >= count) continue;
        uint32_t statement = 0;
        while (flow.accesses_of[statement].end <= index) ++statement;
        const uint64_t mask =
            access.size == 8 ? ~uint64_t{0} : (uint64_t{1} << access.size * 8) - 1;
        const Load load{{{number, ordinal}, statement},
                        segment.addresses[i],
                        access.size,
                        segment.values[i] & mask};
        if (slot == out.size())
          out.push_back(load);
        else
          out[slot] = load;
      }
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto drawn_from = must(Run::open(argv[1]));
  const auto asked_of = must(Run::open(argv[1]));
  const Reader* reader = &asked_of->reader();
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  const size_t count = std::strtoull(argv[3], nullptr, 10);
  uint64_t known = 0;
  uint64_t wrong = 0;
  uint64_t asked = 0;
  for (const auto& [number, process] : reader->processes()) {
    if (process.segments.empty()) continue;
    Run& drawing = *drawn_from;
    const std::vector<Load> loads = draw(*must(view_of(drawing, number)), random, count);
    // Asked of one that has computed nothing yet, as users do.
    Run& run = *asked_of;
    ProcessView& view = *must(view_of(run, number));
    for (const Load& load : loads) {
      ++asked;
      PastMemory memory(view, load.at);
      uint64_t value = 0;
      if (!memory.read(load.address, {reinterpret_cast<uint8_t*>(&value), load.size})) continue;
      ++known;
      if (value == load.value) continue;
      ++wrong;
      std::printf("process %u segment %u block %u: %#lx:%u is %#lx, told as %#lx\n", number,
                  load.at.block.segment, load.at.block.ordinal, load.address, load.size, load.value,
                  value);
    }
  }
  std::printf("%lu of %lu loads known, %lu wrong\n", known, asked, wrong);
  return wrong != 0 || known * 10 < asked * 9 ? 1 : 0;
}
