// SPDX-License-Identifier: MIT
#include "trace/call_stack.h"

#include <algorithm>

namespace twinrun {

void CallDeltas::grow(uint32_t block) { deltas_.resize(block + size_t{1}, kNone); }

CallStack::Change CallStack::call(uint32_t block, const StackEvent* miss, CallDeltas& deltas) {
  int64_t& delta = deltas[block];
  const bool predictable = !is_empty() && delta != CallDeltas::kNone;
  uint64_t sp = predictable ? calls_.back().sp + static_cast<uint64_t>(delta) : 0;
  Change change;
  if (miss != nullptr) {
    change.outcome = miss->miss != TW_STACK_CALL           ? Outcome::kWrongKind
                     : predictable && miss->sp.value == sp ? Outcome::kNeedless
                                                           : Outcome::kMissed;
    sp = miss->sp.value;
    for (; !is_empty() && calls_.back().sp <= sp; ++change.popped) calls_.pop_back();
    const auto difference = static_cast<int64_t>(sp - (is_empty() ? 0 : calls_.back().sp));
    delta = !is_empty() && difference < 0 ? difference : CallDeltas::kNone;
  } else if (!predictable) {
    change.outcome = Outcome::kNoPrediction;
  }
  push({sp, block});
  return change;
}

void CallStack::forget() {
  ++forgotten_;
  // Now and then, so that a call costs the same however deep it is.
  if (forgotten_ < TW_CALL_RING) return;
  calls_.erase(calls_.begin(), calls_.begin() + static_cast<ptrdiff_t>(forgotten_));
  forgotten_ = 0;
}

CallStack::Change CallStack::ret(const StackEvent* miss) {
  if (miss == nullptr) {
    if (is_empty()) return {Outcome::kNoPrediction, 0};
    calls_.pop_back();
    return {Outcome::kPredicted, 1};
  }
  const uint64_t sp = miss->sp.value;
  Change change{miss->miss != TW_STACK_RETURN               ? Outcome::kWrongKind
                : !is_empty() && sp == calls_.back().sp + 8 ? Outcome::kNeedless
                                                            : Outcome::kMissed,
                0};
  for (; !is_empty() && calls_.back().sp < sp; ++change.popped) calls_.pop_back();
  return change;
}

std::optional<std::vector<Call>> CallStack::parse(const CallsEvent& event) {
  ByteReader in(event.entries);
  std::vector<Call> calls;
  uint64_t sp = 0;
  if (event.count > TW_CALL_RING) return std::nullopt;
  for (uint64_t i = 0; i < event.count && !in.failed(); ++i) {
    sp += in.varint();
    calls.push_back({sp, static_cast<uint32_t>(in.varint())});
  }
  if (in.failed() || !in.at_end()) return std::nullopt;
  std::ranges::reverse(calls);
  return calls;
}

}  // namespace twinrun
