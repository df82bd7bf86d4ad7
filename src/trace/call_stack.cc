// SPDX-License-Identifier: MIT
#include "trace/call_stack.h"

namespace twinrun {

CallStack::Change CallStack::call(uint32_t block, const StackEvent* miss, CallDeltas& deltas) {
  int64_t& delta = deltas[block];
  const bool predictable = !calls_.empty() && delta != CallDeltas::kNone;
  uint64_t sp = predictable ? calls_.back().sp + static_cast<uint64_t>(delta) : 0;
  Change change;
  if (miss != nullptr) {
    change.outcome = miss->miss != TW_STACK_CALL           ? Outcome::kWrongKind
                     : predictable && miss->sp.value == sp ? Outcome::kNeedless
                                                           : Outcome::kMissed;
    sp = miss->sp.value;
    for (; !calls_.empty() && calls_.back().sp <= sp; ++change.popped) calls_.pop_back();
    const auto difference = static_cast<int64_t>(sp - (calls_.empty() ? 0 : calls_.back().sp));
    delta = !calls_.empty() && difference < 0 ? difference : CallDeltas::kNone;
  } else if (!predictable) {
    change.outcome = Outcome::kNoPrediction;
  }
  calls_.push_back({sp, block});
  if (calls_.size() > TW_CALL_RING) calls_.pop_front();
  return change;
}

CallStack::Change CallStack::ret(const StackEvent* miss) {
  if (miss == nullptr) {
    if (calls_.empty()) return {Outcome::kNoPrediction, 0};
    calls_.pop_back();
    return {Outcome::kPredicted, 1};
  }
  const uint64_t sp = miss->sp.value;
  Change change{miss->miss != TW_STACK_RETURN                   ? Outcome::kWrongKind
                : !calls_.empty() && sp == calls_.back().sp + 8 ? Outcome::kNeedless
                                                                : Outcome::kMissed,
                0};
  for (; !calls_.empty() && calls_.back().sp < sp; ++change.popped) calls_.pop_back();
  return change;
}

std::optional<std::deque<Call>> CallStack::parse(const CallsEvent& event) {
  ByteReader in(event.entries);
  std::deque<Call> calls;
  uint64_t sp = 0;
  if (event.count > TW_CALL_RING) return std::nullopt;
  for (uint64_t i = 0; i < event.count && !in.failed(); ++i) {
    sp += in.varint();
    calls.push_front({sp, static_cast<uint32_t>(in.varint())});
  }
  if (in.failed() || !in.at_end()) return std::nullopt;
  return calls;
}

}  // namespace twinrun
