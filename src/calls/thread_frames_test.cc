// SPDX-License-Identifier: MIT
#include "calls/thread_frames.h"

#include "calls/thread_sample.h"

#include <map>
#include <string>

namespace twinrun {
namespace {

/// Keeps as many frames for each stack as a thread has, and writes down where it is.
class Keeper : public CallListener {
 public:
  Keeper(const Dictionary& dictionary, CodePlaces& places)
      : dictionary_(dictionary), tracker_(dictionary, places, *this), numbers_(tracker_, {1}) {}

  void take(const Timeline& timeline, const Timeline::Item& item) {
    if (item.is_event) return tracker_.event(item);
    const bool was_just_lost = tracker_.runner({1}).just_lost;
    tracker_.arrive(item);
    numbers_.settle();
    if (was_just_lost && tracker_.runner({1}).is_lost) {
      const auto frame = numbers_.landing(timeline, dictionary_, 0);
      text += frame ? fmt::format("lands in {} ", *frame) : "lands nowhere ";
    }
    text += fmt::format("{}:{} ", numbers_.stack(), kept_[numbers_.stack()]);
    tracker_.depart(item);
    numbers_.settle();
  }
  void called(ThreadNo, CallFrame& frame) override {
    if (numbers_.settle() == ThreadFrames::Stack::kNew) text += "new ";
    frame.tag = ThreadFrames::tag({numbers_.stack(), ++kept_[numbers_.stack()]});
  }
  void found(ThreadNo, CallFrame& frame) override {
    if (const auto keep = numbers_.found(frame)) kept_[numbers_.stack()] = *keep - 1;
  }
  void left(ThreadNo, CallFrame& frame, FrameEnd, Step) override {
    if (const auto gone = ThreadFrames::left(frame)) kept_[gone->stack] = gone->frame - 1;
  }
  std::string text;

 private:
  const Dictionary& dictionary_;
  CallTracker tracker_;
  ThreadFrames numbers_;
  std::map<uint32_t, size_t> kept_;  // frames above the first one, by stack
};

/// At each block the stack and the frames above its first one.
template <typename Fill>
std::string numbers_of(const Fill& fill) {
  SampleThread sample(fill);
  Keeper keeper(sample.process().dictionary(), sample.process().places());
  sample.play(
      [&](const Timeline& timeline, const Timeline::Item& item) { keeper.take(timeline, item); });
  return keeper.text;
}

TEST(ThreadFrames, NumbersFramesByDepth) {
  EXPECT_EQ(numbers_of([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              s.run({kPlain, kReturn, kReturn, kPlain});
            }),
            "0:0 0:1 0:2 0:2 0:1 0:0 ");
}

TEST(ThreadFrames, UnwoundFramesGoTogether) {
  EXPECT_EQ(numbers_of([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              call(s, 0x8d00);
              ret(s, 0x8ef0);
              s.run(kPlain);
            }),
            "0:0 0:1 0:2 0:3 0:1 ");
}

TEST(ThreadFrames, TheNextCallTellsWhereLongjmpLanded) {
  EXPECT_EQ(numbers_of([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              s.run({kLongjmp, kPlain});
              call(s, 0x8e80);
              s.run(kPlain);
            }),
            "0:0 0:1 0:2 lands in 1 0:2 0:2 0:2 ");
}

TEST(ThreadFrames, TheNextReturnTellsWhereLongjmpLanded) {
  EXPECT_EQ(numbers_of([](SegmentBuilder& s) {
              call(s, 0x8f00);
              call(s, 0x8e00);
              call(s, 0x8d00);
              s.run({kLongjmp, kPlain});
              ret(s, 0x8e08);
              s.run(kPlain);
            }),
            "0:0 0:1 0:2 0:3 lands in 2 0:3 0:3 0:1 ");
}

TEST(ThreadFrames, AStackIsNumberedOnceAndResumed) {
  EXPECT_EQ(
      numbers_of([](SegmentBuilder& s) {
        call(s, 0x8f00);
        s.run({kLongjmp, kPlain});
        call(s, 0x7f0000);  // above all frames
        s.run({kLongjmp, kPlain});
        call(s, 0x8e00);
        s.run(kPlain);
        s.run({kLongjmp, kPlain});
        call(s, 0x7e0000);
        s.run(kPlain);
      }),
      "0:0 0:1 lands nowhere 0:1 0:1 new 1:1 lands in 1 1:1 1:1 0:2 0:2 lands nowhere 0:2 0:2 "
      "1:2 ");
}

}  // namespace
}  // namespace twinrun
