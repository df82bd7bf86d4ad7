// SPDX-License-Identifier: MIT
#include "calls/call_tracker.h"

#include "calls/thread_sample.h"

namespace twinrun {
namespace {

/// Writes down what it is told.
class Told : public CallListener {
 public:
  void called(ThreadNo, CallFrame& frame) override {
    frame.tag = ++calls_;
    text +=
        fmt::format("{}{} ", frame.kind == CallFrame::Kind::kSignal ? "signal" : "call", frame.tag);
  }
  void left(ThreadNo, CallFrame& frame, FrameEnd how, Step step) override {
    text += fmt::format("{}{}@{} ",
                        how == FrameEnd::kReturn    ? "return"
                        : how == FrameEnd::kUnwound ? "unwound"
                                                    : "open",
                        frame.kind == CallFrame::Kind::kStart ? 0 : frame.tag, step.value);
  }
  std::string text;

 private:
  uint64_t calls_ = 0;
};

/// Follows the blocks of a recording of one thread.
template <typename Fill>
std::string follow(const Fill& fill) {
  SampleThread sample(fill);
  Told told;
  CallTracker tracker(sample.process().dictionary(), sample.process().places(), told);
  sample.play([&](const Timeline&, const Timeline::Item& item) { tracker.take(item); });
  tracker.finish();
  return told.text;
}

TEST(CallTracker, MatchesCallsAndReturns) {
  EXPECT_EQ(follow([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              s.run({kPlain, kReturn, kReturn, kPlain});  // predicted
            }),
            "call1 call2 return2@4 return1@5 open0@6 ");
}

TEST(CallTracker, AReturnFurtherUpUnwinds) {
  EXPECT_EQ(follow([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              call(s, 0x8d00);
              ret(s, 0x8ef0);  // an exception is caught in the first function
              ret(s, 0x8f08);
            }),
            "call1 call2 call3 unwound3@4 unwound2@4 return1@5 open0@5 ");
}

TEST(CallTracker, LongjmpEndsFramesWhereItJumped) {
  EXPECT_EQ(follow([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              s.run({kLongjmp, kPlain, kPlain});
              call(s, 0x8f00);  // from the outermost function again
              s.run(kReturn);
            }),
            "call1 call2 unwound2@4 unwound1@4 call3 return3@8 open0@8 ");
}

TEST(CallTracker, TheFunctionThatLongjmpGoesToCanReturn) {
  EXPECT_EQ(follow([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              s.run({kLongjmp, kPlain});
              ret(s, 0x8f08);
            }),
            "call1 call2 unwound2@4 return1@6 open0@6 ");
}

TEST(CallTracker, AHandlerEndsWithItsSystemCall) {
  EXPECT_EQ(follow([](SegmentBuilder& s) {
              call(s, 0x8f00);
              s.event(TW_EVENT_SIGNAL, {1, 10, 0, 0x1020, TW_SIGNAL_HANDLED, 0, 0});
              s.run(kPlain);
              call(s, 0x8a00);
              s.run(kReturn);
              ret(s, 0x8b08);
              s.run(kSyscall);
              s.event(TW_EVENT_SYSCALL, {1, 15, 0, 0, 0, 0, 0, 0});
              s.run({kPlain, kReturn});
            }),
            "call1 signal2 call3 return3@4 return2@6 return1@8 open0@8 ");
}

}  // namespace
}  // namespace twinrun
