// SPDX-License-Identifier: MIT
// queries RECORDING WHO SLICES SEED: asks for the last writers of what random instructions read,
// and for slices of at most 1000 instructions, and prints "who_median who_p90 who_max slice_median
// slice_max seconds, peak_mb".
#include "values/control_finder.h"
#include "values/slice.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

template <typename T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "queries: %s\n", result.error().message.c_str());
    std::exit(2);
  }
  return std::move(*result);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double at(std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  std::ranges::sort(sorted);
  return sorted[std::min(sorted.size() - 1,
                         static_cast<size_t>(share * static_cast<double>(sorted.size())))];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  std::mt19937_64 random(std::strtoull(argv[4], nullptr, 10));
  const auto run = must(Run::open(argv[1]));
  const Reader* reader = &run->reader();
  const auto& [number, process] = *reader->processes().begin();
  const auto values = must(ProcessValues::open(*must(run->process(number))));
  BlockFlows flows(values->code());
  Binaries& binaries = run->binaries();
  const MapHistory& maps = must(run->process(number))->maps();
  ControlFinder control(*values, binaries, maps);
  Slicer slicer(*values, flows, &control);
  const uint64_t steps = process.thread_steps.begin()->second;
  const ThreadNo thread{process.thread_steps.begin()->first};
  std::vector<double> who;
  for (uint64_t i = std::strtoull(argv[2], nullptr, 10); i > 0;) {
    const double start = now();
    const auto found = must(values->find(thread, {random() % steps}));
    const BlockFlow& flow = *must(slicer.flow_at(found.block));
    const SegmentValues& segment = *must(values->segment(found.block.segment));
    // A load of the instruction, else a register that it reads.
    bool asked = false;
    for (uint32_t s = 0; s < flow.ir.statements.size() && !asked; ++s) {
      if (flow.instruction_of[s] != found.instruction) continue;
      const Moment moment{found.block, s};
      const uint32_t first = segment.first_access[found.block.ordinal];
      if (flow.accesses_of[s].first < flow.accesses_of[s].end &&
          flow.accesses_of[s].first < segment.first_access[found.block.ordinal + 1] - first) {
        const uint32_t access = flow.accesses_of[s].first;
        const uint64_t address = segment.addresses[first + access];
        if (address == SegmentValues::kNotDone) continue;
        must(slicer.writers().memory(moment, address, flow.code->accesses[access].size));
        asked = true;
      } else if (const auto read = flow.state_read(s); read.size != 0) {
        must(slicer.writers().registers(moment, read.offset, read.size));
        asked = true;
      }
    }
    if (!asked) continue;  // it reads nothing
    who.push_back(now() - start);
    --i;
  }
  std::vector<double> slices;
  for (uint64_t i = std::strtoull(argv[3], nullptr, 10); i > 0; --i) {
    const double start = now();
    const auto found = must(values->find(thread, {random() % steps}));
    must(slicer.slice(InstructionAt{found.block, found.instruction}, {.limit = 1000}));
    slices.push_back(now() - start);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.4f %.4f %.4f %.4f %.4f %.0f\n", at(who, 0.5), at(who, 0.9), at(who, 1),
              at(slices, 0.5), at(slices, 1), static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}
