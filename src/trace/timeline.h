// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "trace/count.h"
#include "trace/cursor.h"
#include "trace/event.h"
#include "trace/reader.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace twinrun {

/// Walks the blocks and the events of a process as they happened. Holds one segment at a time; the
/// reader and the dictionary must outlive it.
class Timeline {
 public:
  Timeline(const Reader& reader, const Dictionary& dictionary, const Process& process)
      : reader_(reader), dictionary_(dictionary), process_(process) {}
  /// Does not count instructions, unless step() asks: steps of items are 0, and instructions too
  /// but for partial blocks. Must be said before the first item.
  void without_steps() { counts_steps_ = false; }

  struct Item {
    bool is_event = false;
    Execution execution;  // unless is_event
    Event event;          // if is_event; its payload lives until the next segment
    uint64_t blocks = 0;  // of the process that had begun before the item
    ThreadNo thread;      // that the event is about, else the running one
    Step step;            // of that thread
    const StackEvent* stack_miss = nullptr;  // of an execution that ends in a call or return
  };
  /// False at the end. An event inside a block (a stack pointer) comes behind it.
  Result<bool> next(Item& out);

  /// Continues at the segment in which `thread` executes `step`, at its first item. False when the
  /// thread does not come that far.
  bool seek_segment(ThreadNo thread, Step step);

  /// Continues at a segment. Steps are right for the threads that run in it.
  void seek_segment(size_t number);

  [[nodiscard]] size_t segment_number() const { return segment_ - 1; }

  /// Blocks that the running thread executes next, with no event between them: stream values of
  /// four bytes, in any alignment. Can be empty although there is more.
  struct Ahead {
    const uint8_t* values = nullptr;
    uint32_t count = 0;
    uint64_t first_block = 0;                // number in the process
    const uint32_t* instructions = nullptr;  // of each; null: they are not counted
    Step step;                               // in front of the first; with instructions
  };
  [[nodiscard]] Ahead ahead() const;
  /// Leaves out blocks of ahead().
  void skip(uint32_t count);
  /// The next block of the running thread for which `jump_of` gives a TwJump other than 0, behind
  /// the one that the last item was, if it is in the same segment and run and the recording tells
  /// the stack pointer there.
  struct StackPointer {
    uint32_t jump = 0;
    uint64_t sp = 0;
  };
  [[nodiscard]] std::optional<StackPointer> next_stack_pointer(
      const std::function<uint32_t(uint32_t)>& jump_of) const;
  /// The running thread's step in front of the block that the last item was, or that skip() left
  /// out last. Counts the segment when it is asked for the first time.
  Result<Step> step();

 private:
  Result<bool> enter_segment();

  const Reader& reader_;
  const Dictionary& dictionary_;
  const Process& process_;
  size_t segment_ = 0;  // the next one to enter
  SegmentData data_;
  std::optional<EventReader> events_;  // while there is a pending one
  Event pending_;
  SegmentRuns runs_;
  std::vector<uint32_t> counts_;
  size_t run_ = 0;
  size_t partial_ = 0;
  uint32_t ordinal_ = 0;
  uint32_t blocks_ = 0;
  uint64_t first_block_ = 0;
  uint32_t thread_ = 0;
  StackEvent stack_;
  std::map<uint32_t, uint64_t> steps_;
  bool counts_steps_ = true;
  std::vector<uint64_t> step_of_;  // of each block of the segment; empty: not counted
};

/// The thread that the event names as its own; nothing for events of the whole process.
std::optional<uint32_t> thread_of(const Event& event);

}  // namespace twinrun
