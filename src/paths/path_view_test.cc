// SPDX-License-Identifier: MIT
#include "paths/path_view.h"

#include "calls/thread_sample.h"
#include "paths/path_samples.h"
#include "run/run.h"

namespace twinrun {
namespace {

/// The trace of a recording of one thread. Its code has no file, so that all of it is one function,
/// whose blocks are numbered in the order of their execution.
template <typename Fill>
std::string view_of(const Fill& fill, PathView::Options options = {}) {
  SampleThread sample(fill);
  CodeSpace space;
  EXPECT_TRUE(space.add(sample.process()).has_value());
  PathFunctions functions(space);
  PathView view({space, sample.process()}, functions, std::move(options));
  PathTrace trace;
  std::vector<PathPosition> steps;
  std::vector<PathMark> marks;
  const auto done = view.run([&](const PathStreamKey& key, const PathTold& told) {
    EXPECT_EQ(key, (PathStreamKey{ThreadNo{1}, 0}));
    for (const PathMark& mark : told.marks)
      marks.push_back({mark.gap, mark.event + static_cast<uint32_t>(trace.size())});
    trace.insert(trace.end(), told.events.begin(), told.events.end());
    steps.insert(steps.end(), told.steps.begin(), told.steps.end());
    EXPECT_EQ(told.events.size(), told.steps.size());
    EXPECT_TRUE(std::ranges::is_sorted(told.steps));
  });
  EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
  EXPECT_TRUE(is_well_formed(trace));
  EXPECT_EQ(marks, marks_of(trace, steps, functions.lengths()));
  for (const PathEvent event : trace) {
    if (event.is_block()) {
      EXPECT_NE(functions.node(0, event.block()), CodeSpace::kNone);
    }
  }
  return text_of(trace);
}

TEST(PathView, TellsCallsAndReturns) {
  // Blocks: 0 calls, 1 plain, 2 returns.
  EXPECT_EQ(view_of([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              s.run({kPlain, kReturn, kReturn, kPlain});
            }),
            "F0: 0 F0: 0 F0: 1 2 E 2 E 1 ");
}

TEST(PathView, PassesCallsThatArePredicted) {
  EXPECT_EQ(view_of([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              s.run({kPlain, kReturn});
              // The recording tells no stack pointers of those.
              s.run({kCall, kPlain, kCall, kReturn, kReturn, kReturn, kPlain, kPlain});
            }),
            "F0: 0 F0: 0 F0: 1 2 E 0 F0: 1 0 F0: 2 E 2 E 2 E 1 1 ");
}

TEST(PathView, ACallThatDoesNotGetToItsFirstBlockIsNotTold) {
  EXPECT_EQ(view_of([](SegmentBuilder& s) {
              s.run(kPlain);
              call(s, 0x8f00);
            }),
            "F0: 0 1 ");
}

TEST(PathView, AnExceptionEndsInvocations) {
  EXPECT_EQ(view_of([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              call(s, 0x8d00);
              s.run(kPlain);
              ret(s, 0x8ef0);  // it is caught in the first function
              s.run(kPlain);
              ret(s, 0x8f08);
              s.run(kPlain);
            }),
            "F0: 0 F0: 0 F0: 0 F0: 1 2 E E 1 2 E 1 ");
}

TEST(PathView, LongjmpEndsInvocationsWhereItJumps) {
  // Blocks behind the jump are the outermost function's, although that shows with the next call.
  EXPECT_EQ(view_of([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              s.run({kLongjmp, kPlain, kPlain});
              call(s, 0x8f00);
              s.run({kPlain, kReturn, kPlain});
            }),
            "F0: 0 F0: 0 F0: 1 E E 2 2 0 F0: 2 3 E 2 ");
  EXPECT_EQ(view_of([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              s.run({kLongjmp, kPlain});
              ret(s, 0x8f08);
              s.run(kPlain);
            }),
            "F0: 0 F0: 0 F0: 1 E 2 3 E 2 ");
}

TEST(PathView, AHandlerIsAnInvocationThatInterrupts) {
  EXPECT_EQ(view_of([](SegmentBuilder& s) {
              call(s, 0x8f00);
              s.run(kPlain);
              s.event(TW_EVENT_SIGNAL, {1, 10, 0, 0x1020, TW_SIGNAL_HANDLED, 0, 0});
              s.run(kPlain);
              call(s, 0x8a00);
              s.run(kReturn);
              ret(s, 0x8b08);
              s.run(kSyscall);
              s.event(TW_EVENT_SYSCALL, {1, 15, 0, 0, 0, 0, 0, 0});
              s.run({kPlain, kReturn, kPlain});
            }),
            "F0: 0 F0: 1 F0: 1 0 F0: 2 E 2 3 E 1 2 E 1 ");
}

TEST(PathView, LeavesOutWhatIsFolded) {
  const auto all = [](CodeNode) { return true; };
  EXPECT_EQ(view_of(
                [](SegmentBuilder& s) {
                  call(s, 0x8f00);
                  s.run({kPlain, kReturn, kPlain});
                },
                {.is_folded = all}),
            "");
}

}  // namespace
}  // namespace twinrun
