// SPDX-License-Identifier: MIT
// index_check RECORDING SEED COUNT: no two moments of a thread have the same structural index, and
// the index of a step leads back to that step: of COUNT random ones of each thread, or with COUNT 0
// of every step. And passing whole blocks gives the same index as going from node to node.
#include "calls/index_walk.h"
#include "opened.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdio>
#include <cstdlib>
#include <random>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

struct Checked {
  uint64_t nodes = 0;
  uint64_t twice = 0;
  uint64_t asked = 0;
  uint64_t wrong = 0;
  uint64_t compared = 0;
  uint64_t other = 0;  // passing blocks gave another index
  size_t depth = 0;
};

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccdull;
  return hash ^ hash >> 29;
}

// Two hashes of 64 bits: equal ones are equal indices, as far as this test goes.
std::pair<uint64_t, uint64_t> hash_of(const IndexWalk& walk) {
  uint64_t first = mix(mix(1, walk.node()), walk.offset());
  uint64_t second = mix(mix(2, walk.node()), walk.offset());
  for (const IndexEntry& entry : walk.path()) {
    for (const uint64_t value : {uint64_t{static_cast<uint8_t>(entry.kind)}, uint64_t{entry.site},
                                 uint64_t{entry.outcome}, entry.count}) {
      first = mix(first, value);
      second = mix(second, value);
    }
  }
  return {first, second};
}

void check_unique(const CodeModel& model, ThreadNo thread, std::mt19937_64& random, Checked& out) {
  IndexWalk walk(model, thread);
  IndexWalk behind(model, thread);
  uint64_t skip = 0;
  boost::unordered_flat_map<std::pair<uint64_t, uint64_t>, uint64_t> seen;
  while (must(walk.next_node())) {
    ++out.nodes;
    out.depth = std::max(out.depth, walk.path().size());
    if (skip-- == 0) {
      skip = random() % 4000;
      ++out.compared;
      if (!must(behind.arrive_at(walk.block())) || behind.block() != walk.block()) {
        ++out.other;
      } else {
        must(behind.pass_nodes(walk.instruction()));
        if (behind.node() != walk.node() || !std::ranges::equal(behind.path(), walk.path()))
          if (out.other++ < 3)
            std::printf("thread %u block %lu has another index when blocks are passed\n",
                        thread.value, walk.block());
      }
    }
    const auto [first, is_new] = seen.try_emplace(hash_of(walk), walk.block());
    if (is_new) continue;
    if (out.twice++ < 3)
      std::printf("thread %u: blocks %lu and %lu have the same index, node %#lx of %s\n",
                  thread.value, first->second, walk.block(), model.node(walk.node()).address.value,
                  model.space().function_name(walk.node()).c_str());
  }
}

Result<std::optional<Step>> step_with(const CodeModel& model, ThreadNo thread,
                                      const StructuralIndex& index) {
  const CodeSpace::Node& wanted = model.node(index.node);
  return find_step(
      model, thread,
      [&](CodeNode node, ModuleAddr address) {
        return address == index.address && model.node(node).module == wanted.module;
      },
      [&](const StructuralIndex& there) { return there == index; });
}

void check_step(const CodeModel& model, ThreadNo thread, Step step, Checked& out) {
  ++out.asked;
  const StructuralIndex index = must(index_at(model, thread, step));
  const auto back = must(step_with(model, thread, index));
  if (back && *back == step) return;
  if (out.wrong++ < 3)
    std::printf("thread %u step %lu leads to %ld\n", thread.value, step.value,
                back ? static_cast<long>(back->value) : -1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto opened_run = must(Run::open(argv[1]));
  const Reader* reader = &opened_run->reader();
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  const uint64_t count = std::strtoull(argv[3], nullptr, 10);
  Checked checked;
  for (const auto& [number, process] : reader->processes()) {
    RunProcess* const opened = must(opened_run->process(number));
    CodeSpace space;
    must(space.add(*opened));
    const CodeModel model(space, *opened);
    for (const auto& [thread, steps] : process.thread_steps) {
      if (steps == 0) continue;
      check_unique(model, {thread}, random, checked);
      for (uint64_t i = 0; i < (count == 0 ? steps : count); ++i)
        check_step(model, {thread}, {count == 0 ? i : random() % steps}, checked);
    }
  }
  std::printf(
      "%lu nodes, %lu twice, depth %zu; %lu compared, %lu other; %lu steps, %lu not found\n",
      checked.nodes, checked.twice, checked.depth, checked.compared, checked.other, checked.asked,
      checked.wrong);
  return checked.twice == 0 && checked.wrong == 0 && checked.other == 0 ? 0 : 1;
}
