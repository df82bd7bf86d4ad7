// SPDX-License-Identifier: MIT
#pragma once

#include "trace/event.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
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
  [[gnu::always_inline]] int64_t& operator[](uint32_t block) {
    if (deltas_.size() <= block) [[unlikely]]
      grow(block);
    return deltas_[block];
  }

 private:
  void grow(uint32_t block);

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
  // The same without a miss, where there is a prediction.
  [[nodiscard]] [[gnu::always_inline]] bool can_predict(uint32_t block, CallDeltas& deltas) const {
    return !is_empty() && deltas[block] != CallDeltas::kNone;
  }
  [[gnu::always_inline]] uint64_t call_as_predicted(uint32_t block, CallDeltas& deltas) {
    const uint64_t sp = calls_.back().sp + static_cast<uint64_t>(deltas[block]);
    push({sp, block});
    return sp;
  }
  [[gnu::always_inline]] void ret_as_predicted() { calls_.pop_back(); }
  /// From the innermost outward, as a CALLS event lists them; nothing when it is malformed.
  static std::optional<std::vector<Call>> parse(const CallsEvent& event);

  /// Innermost last.
  [[nodiscard]] std::span<const Call> calls() const {
    return std::span(calls_).subspan(forgotten_);
  }
  void set(std::vector<Call> calls) {
    calls_ = std::move(calls);
    forgotten_ = 0;
  }

 private:
  [[nodiscard]] bool is_empty() const { return calls_.size() == forgotten_; }
  [[gnu::always_inline]] void push(Call call) {
    calls_.push_back(call);
    if (calls_.size() - forgotten_ > TW_CALL_RING) [[unlikely]]
      forget();
  }
  void forget();

  std::vector<Call> calls_;
  size_t forgotten_ = 0;  // the outermost ones, which the ring has no room for
};

}  // namespace twinrun
