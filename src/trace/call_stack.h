// SPDX-License-Identifier: MIT
#pragma once

#include "trace/event.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace twinrun {

/// A call that has not returned: the stack pointer behind the pushed return address, and the block
/// that called.
struct Call {
  uint64_t sp = 0;
  uint32_t block = 0;

  bool operator==(const Call&) const = default;
};

/// Stack pointer differences of calling blocks, shared by the threads of a process and forgotten at
/// each chunk start.
class CallDeltas {
 public:
  static constexpr int64_t kNone = 1;  // no call moves the stack pointer up by one
  void clear() { deltas_.clear(); }
  int64_t& operator[](uint32_t block) {
    if (deltas_.size() <= block) deltas_.resize(block + 1, kNone);
    return deltas_[block];
  }

 private:
  std::vector<int64_t> deltas_;
};

/// The call ring of one thread, replayed by the rules of docs/trace-format.md ("Stack pointer
/// prediction").
class CallStack {
 public:
  /// How a call or return was recorded.
  enum class Outcome {
    kPredicted,
    kMissed,
    kNoPrediction,  // neither predicted nor recorded: wrong in a whole recording
    kNeedless,      // recorded although predicted
    kWrongKind,     // the miss of a return at a call, or the other way round
  };
  struct Change {
    Outcome outcome = Outcome::kPredicted;
    size_t popped = 0;  // calls that ended here, one for an ordinary return
  };

  Change call(uint32_t block, const StackEvent* miss, CallDeltas& deltas);
  Change ret(const StackEvent* miss);
  /// From the innermost outward, as a CALLS event lists them; nothing when it is malformed.
  static std::optional<std::deque<Call>> parse(const CallsEvent& event);

  /// Innermost last.
  [[nodiscard]] const std::deque<Call>& calls() const { return calls_; }
  void set(std::deque<Call> calls) { calls_ = std::move(calls); }

 private:
  std::deque<Call> calls_;
};

}  // namespace twinrun
