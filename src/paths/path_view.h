// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "calls/block_plans.h"
#include "calls/call_tracker.h"
#include "calls/thread_frames.h"
#include "paths/path_event.h"
#include "paths/path_lengths.h"
#include "paths/path_told.h"
#include "run/code_model.h"
#include "trace/timeline.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace twinrun {

/// Calls nest in each stack of a thread by itself, so each has a trace of its own. 0: the stack
/// that the thread began with.
struct PathStreamKey {
  ThreadNo thread;
  uint32_t stack = 0;
  auto operator<=>(const PathStreamKey&) const = default;
};

/// The functions and blocks that the numbers of path events mean, for all processes of a space.
class PathFunctions {
 public:
  explicit PathFunctions(const CodeSpace& space) : space_(space) {}

  struct Place {
    uint32_t function = 0;
    uint32_t block = 0;
  };
  /// `outside`: what tells functions apart whose code the space has no graph of, in the process
  /// that begin_process() was said for last.
  Place place(CodeNode node, uint32_t outside) {
    if (node < places_.size() && places_[node].block != kUnknown) return places_[node];
    return make(node, outside);
  }
  void begin_process() { ++process_; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(functions_.size()); }
  /// Of a function that has been numbered: its blocks' nodes, by number; CodeSpace::kNone for
  /// numbers that do not occur.
  [[nodiscard]] CodeNode node(uint32_t function, uint32_t block) const;
  /// Instructions of the blocks of functions that have been numbered.
  [[nodiscard]] const PathLengths& lengths() const { return lengths_; }

 private:
  static constexpr uint32_t kUnknown = ~0u;
  struct Function {
    CodeNode first = 0;           // of a function with a graph: block n is node first + n
    std::vector<CodeNode> loose;  // else the nodes in the order of their execution
  };
  Place make(CodeNode node, uint32_t outside);

  const CodeSpace& space_;
  std::vector<Place> places_;  // by node
  std::vector<Function> functions_;
  PathLengths lengths_;
  uint32_t process_ = 0;
  boost::unordered_flat_map<uint64_t, uint32_t> numbers_;  // 0 or the process, and the function
};

/// The control flow of a process as traces of path events: walks once over its blocks and tells the
/// basic blocks of the code model. An invocation ends when its frame does, however that happens. A
/// tail call ends one and begins another. Stubs are part of no function.
class PathView : private CallListener {
 public:
  struct Options {
    /// Functions of which nothing is told; what they call is told as if their caller had called it.
    std::function<bool(CodeNode)> is_folded;
  };
  /// The functions, which several processes can share, must
  /// outlive it.
  PathView(const CodeModel& model, PathFunctions& functions, Options options);
  PathView(const PathView&) = delete;
  PathView& operator=(const PathView&) = delete;

  using Tell = std::function<void(const PathStreamKey&, const PathTold&)>;
  /// Tells each stream's events in order, some at a time. Functions that are still active at the
  /// end of a thread or of the recording are not left.
  Result<void> run(const Tell& tell);

 private:
  static constexpr uint32_t kNotEntered = ~0u;
  static constexpr size_t kTellEvents = 1u << 14;

  struct Stream {
    std::vector<uint32_t> frames;  // functions; kNotEntered: nothing of it has been told
    // What has not been told yet: `size` events in arrays that have room for more.
    PathTrace events;
    std::vector<PathPosition> steps;
    uint32_t size = 0;
    std::vector<PathMark> marks;
    PathPosition end = 0;  // of the last block, or where the last invocation begins
  };
  /// A node that begins in a block, as it is told.
  struct Visit {
    uint32_t function = 0;  // kNotEntered: it is folded
    uint32_t block = 0;
    uint32_t instruction = 0;  // of the executed block that it begins with
    uint32_t length = 0;       // in instructions
  };
  /// What passing a stream value means here, in little room: there are many.
  struct Passing {
    uint32_t first_visit = 0;
    uint16_t visits = 0;
    bool is_known = false;
    bool is_plain = false;  // changes nothing about frames, and all its visits are of one function
  };
  struct Thread {
    ThreadFrames numbers;
    const BlockPlan* before = nullptr;
    CallTracker::Thread* runner = nullptr;  // while blocks are passed
    uint32_t value = 0;                     // of the block that is passed
    std::map<uint32_t, Stream> streams;     // by stack
    Stream* stream = nullptr;
  };

  void called(ThreadNo thread, CallFrame& frame) override;
  void found(ThreadNo thread, CallFrame& frame) override;
  void left(ThreadNo thread, CallFrame& frame, FrameEnd how, Step step) override;

  Thread& thread(ThreadNo number);
  Result<void> arrive(const Timeline::Item& item);
  /// Passes blocks that the tracker need not look at.
  Result<void> pass_ahead(ThreadNo number, Thread& t);
  /// Of those the plain ones, from `begin` on, and moves `step` behind them. Returns how many.
  uint32_t pass_plain(Thread& t, const Timeline::Ahead& ahead, uint32_t begin, uint32_t most,
                      uint64_t& step);
  [[nodiscard]] bool can_pass(Thread& t, const BlockPlan& plan);
  void pass(Thread& t, const BlockPlan& plan, uint64_t step, uint32_t instructions);
  /// Of a block that has a plan.
  std::span<const Visit> visits(uint32_t value, const BlockPlan& plan);
  Passing make_passing(const BlockPlan& plan);
  void visit(Stream& stream, const Visit& visit);
  void put(Stream& stream, PathEvent event);
  void drop_frames(Stream& stream, size_t keep);
  static void settle_stack(Thread& t);

  RunProcess& process_;
  Options options_;
  CodePlaces places_;
  BlockPlans plans_;
  CallTracker tracker_;
  Timeline timeline_;
  PathFunctions& functions_;
  std::map<uint32_t, Thread> threads_;
  uint32_t recent_number_ = 0;
  Thread* recent_ = nullptr;       // the thread of that number
  PathPosition now_ = 0;           // the step of the running thread
  std::vector<Passing> passings_;  // by stream value
  std::vector<Visit> visits_;
};

}  // namespace twinrun
