// SPDX-License-Identifier: MIT
// loops_check A B: aligns two runs with iterations paired by content, and checks what must hold
// whatever is paired: indices stay unique; but for numbers of iterations they are what the run
// alone has, and those numbers increase with the run's own; regions follow each other; A and B
// swapped align as much; and no less is aligned than by number. Prints the shares, and the marks:
// "mark a|b STEP SITE JUMP".
#include "align/align.h"
#include "align/run_pair.h"
#include "calls/index_walk.h"
#include "opened.h"

#include <boost/unordered/unordered_flat_set.hpp>

#include <cstdio>
#include <cstdlib>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

int failures = 0;

template <typename... Values>
void complain(const char* format, Values... values) {
  if (failures++ < 5) {
    std::printf("FAIL ");
    std::printf(format, values...);
    std::printf("\n");
  }
}

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccdull;
  return hash ^ hash >> 29;
}

/// Goes over a thread with and without marks.
void check_marks(CodeSpace& space, RunProcess& process, const ProcessMarks& marks, ThreadNo thread,
                 const char* name) {
  IndexWalk marked(CodeModel(space, process, &marks), thread);
  IndexWalk plain(CodeModel(space, process), thread);
  const std::vector<IterationMark>& of_thread = marks.at(thread.value);
  size_t next = 0;
  boost::unordered_flat_set<uint64_t> seen;
  for (;;) {
    const bool more = must(marked.next_node());
    if (must(plain.next_node()) != more)
      return complain("%s: one walk ends before the other", name);
    if (!more) break;
    const auto a = marked.path();
    const auto b = plain.path();
    if (a.size() != b.size() || marked.node() != plain.node())
      return complain("%s: block %lu: another path with marks", name, marked.block());
    uint64_t hash = mix(mix(1, marked.node()), marked.offset());
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i].kind != b[i].kind || a[i].site != b[i].site || a[i].outcome != b[i].outcome ||
          a[i].executed() != b[i].count || a[i].count < b[i].count)
        complain("%s: block %lu: entry %zu is another one with marks", name, marked.block(), i);
      for (const uint64_t value : {uint64_t{static_cast<uint8_t>(a[i].kind)}, uint64_t{a[i].site},
                                   uint64_t{a[i].outcome}, a[i].count})
        hash = mix(hash, value);
    }
    if (!seen.insert(hash).second)
      complain("%s: block %lu has an index that was there before", name, marked.block());
    while (next < of_thread.size() && of_thread[next].block <= marked.block()) {
      const Step step = must(marked.step_of_block());
      std::printf("mark %s %lu %lu %lu\n", name, step.value, of_thread[next].site.value,
                  of_thread[next].jump);
      ++next;
    }
  }
  if (next != of_thread.size())
    complain("%s: %zu marks were not passed", name, of_thread.size() - next);
}

void check_regions(const ThreadAlignment& thread) {
  uint64_t a = thread.before_a;
  uint64_t b = thread.before_b;
  for (const AlignedRegion& region : thread.regions) {
    if (region.a.from != a || region.b.from != b || region.a.to < a || region.b.to < b ||
        (region.is_aligned && region.a.size() != region.b.size()))
      complain("the region at %lu and %lu does not follow", region.a.from, region.b.from);
    a = region.a.to;
    b = region.b.to;
  }
}

/// Steps that are aligned have the same index.
void check_indices(const RunPair& runs, const AlignReport& report, const ThreadAlignment& thread) {
  CodeSpace space;
  RunProcess* const a = must(runs.a().process(thread.a.process.value));
  RunProcess* const b = must(runs.b().process(thread.b.process.value));
  must(space.add(*a));
  must(space.add(*b));
  const auto marks_of = [](const RunMarks& marks, const Position& at) {
    const auto found = marks.find(at.process.value);
    return found == marks.end() ? ProcessMarks() : found->second;
  };
  const ProcessMarks marks_a = marks_of(report.marks[0], thread.a);
  const ProcessMarks marks_b = marks_of(report.marks[1], thread.b);
  uint32_t asked = 0;
  for (const AlignedRegion& region : thread.regions) {
    if (!region.is_aligned || region.a.size() == 0 || asked++ >= 2) continue;
    const auto in_a = must(index_at({space, *a, &marks_a}, thread.a.thread, {region.a.from}));
    const auto in_b = must(index_at({space, *b, &marks_b}, thread.b.thread, {region.b.from}));
    if (in_a != in_b)
      complain("steps %lu and %lu are aligned, but have other indices", region.a.from,
               region.b.from);
  }
  if (thread.loops == PairLoops::kNumber) {
    if (marks_a.contains(thread.a.thread.value)) complain("marks that are not used");
    return;
  }
  check_marks(space, *a, marks_a, thread.a.thread, "a");
  check_marks(space, *b, marks_b, thread.b.thread, "b");
}

AlignReport aligned(const char* a, const char* b, PairLoops how) {
  const auto runs = must(RunPair::open(a, b));
  runs->pair_loops(how);
  return *must(runs->align());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: loops_check A B\n");
    return 2;
  }
  const AlignReport numbered = aligned(argv[1], argv[2], PairLoops::kNumber);
  const AlignReport swapped = aligned(argv[2], argv[1], PairLoops::kContent);
  const auto runs = must(RunPair::open(argv[1], argv[2]));
  const AlignReport& report = *must(runs->align());
  for (const ThreadAlignment& thread : report.threads) {
    if (!thread.note.empty()) continue;
    check_regions(thread);
    check_indices(*runs, report, thread);
  }
  std::printf("aligned %lu by number, %lu by content, %lu swapped\n", numbered.aligned,
              report.aligned, swapped.aligned);
  if (report.aligned != swapped.aligned) complain("swapped, another number is aligned");
  if (report.aligned < numbered.aligned) complain("less is aligned than by number");
  return failures == 0 ? 0 : 1;
}
