// SPDX-License-Identifier: MIT
// For tests: a recording of one thread that calls and returns.
#pragma once

#include "run/run.h"
#include "trace/timeline.h"
#include "trace/trace_builder.h"

#include <gtest/gtest.h>

namespace twinrun {

/// Its blocks.
enum : uint32_t { kCall = 1, kReturn = 2, kPlain = 3, kLongjmp = 4, kSyscall = 5 };

/// `fill` runs blocks on a SegmentBuilder.
template <typename Fill>
void write_thread(const std::string& path, const Fill& fill) {
  const auto writer = make_writer(path);
  EXPECT_TRUE(writer->recording({.argv = {"./prog"}}).has_value());
  EXPECT_TRUE(
      writer->begin_process({.number = 1, .origin = TW_ORIGIN_ROOT, .state_size = 16}).has_value());
  SegmentBuilder segment;
  segment.begin_chunk();
  segment.event(TW_EVENT_THREAD_START, {1, 0});
  segment.event(TW_EVENT_THREAD_SWITCH, {1});
  segment.event(TW_EVENT_INITIAL_STACK, {1, TW_PART_STARTUP, 0x9000}, Bytes(8));
  segment.event(TW_EVENT_CALLS, {1, 0});
  segment.define(
      kCall, {.address = 0x1000, .lengths = {5}, .jump = TW_JUMP_CALL, .code = {0xe8, 0, 0, 0, 0}});
  segment.define(kReturn,
                 {.address = 0x1010, .lengths = {1}, .jump = TW_JUMP_RETURN, .code = {0xc3}});
  segment.define(kPlain, {.address = 0x1020, .lengths = {1}});
  // mov rsp, [rdi]; jmp rdx
  segment.define(kLongjmp,
                 {.address = 0x1030, .lengths = {3, 2}, .code = {0x48, 0x8b, 0x27, 0xff, 0xe2}});
  segment.define(
      kSyscall, {.address = 0x1040, .lengths = {2}, .jump = TW_JUMP_SYSCALL, .code = {0x0f, 0x05}});
  fill(segment);
  segment.slot().flags |= TW_SEGMENT_LAST;
  EXPECT_TRUE(segment.write(*writer, 1).has_value());
  EXPECT_TRUE(writer->end_process(1, {.how = EndKind::kExited}).has_value());
  EXPECT_TRUE(writer->finish({.how = EndKind::kExited}).has_value());
}

/// Such a recording, opened.
class SampleThread {
 public:
  template <typename Fill>
  explicit SampleThread(const Fill& fill) {
    const std::string path = dir_.file("t.twin");
    write_thread(path, fill);
    auto opened = twinrun::Run::open(path);
    CHECK(opened.has_value()) << opened.error().message;
    run_ = std::move(*opened);
    process_ = *run_->process(1);
  }
  RunProcess& process() { return *process_; }
  /// All that happens, in its order.
  template <typename Take>
  void play(const Take& take) {
    Timeline timeline(process_->reader(), process_->dictionary(), process_->process());
    Timeline::Item item;
    for (;;) {
      const auto more = timeline.next(item);
      EXPECT_TRUE(more.has_value()) << (more ? "" : more.error().message);
      if (!more || !*more) break;
      take(timeline, item);
    }
  }

 private:
  const TempDir dir_;
  std::unique_ptr<twinrun::Run> run_;
  RunProcess* process_ = nullptr;
};

inline void call(SegmentBuilder& segment, uint64_t sp) {
  segment.run(kCall);
  segment.event(TW_EVENT_STACK, {TW_STACK_CALL, sp});
}
inline void ret(SegmentBuilder& segment, uint64_t sp) {
  segment.run(kReturn);
  segment.event(TW_EVENT_STACK, {TW_STACK_RETURN, sp});
}

}  // namespace twinrun
