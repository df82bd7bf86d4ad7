// SPDX-License-Identifier: MIT
#pragma once

#include "align/pair_sequences.h"
#include "align/run_side.h"
#include "base/result.h"
#include "calls/loop_instances.h"
#include "run/iteration_marks.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace twinrun {

/// What a place in the code read or wrote in an iteration.
struct SlotValue {
  uint32_t iteration = 0;
  uint32_t hash = 0;
};
/// By places, which have the same numbers in both runs; iterations ascend.
using SlotValues = boost::unordered_flat_map<uint64_t, std::vector<SlotValue>>;

/// Tells the values of iterations [from, to) of a loop of one run. Empty when they are not known or
/// not worth it.
using AskValues = std::function<Result<SlotValues>(RunSide side, const LoopInstance& loop,
                                                   uint32_t from, uint32_t to)>;

/// Which times round loops of two threads correspond, as marks of each run.
struct LoopPairing {
  std::array<std::vector<IterationMark>, 2> marks;  // by side, ascending
  bool is_by_values = false;  // values decided something that control flow does not show

  [[nodiscard]] bool is_by_number() const { return marks[0].empty() && marks[1].empty(); }
};

/// Pairs the iterations of both threads' loops by what they do. `ask` may be empty.
Result<LoopPairing> pair_loops(const ThreadLoops& a, const ThreadLoops& b, const AskValues& ask);

/// Which iterations [0, n) of one run are which [0, m) of the other by their values: keys, equal
/// when values that tell records apart are equal. Empty when no value does. For tests.
struct ValueKeys {
  std::vector<uint64_t> a;
  std::vector<uint64_t> b;
};
ValueKeys value_keys(const SlotValues& a, uint32_t n, const SlotValues& b, uint32_t m);

}  // namespace twinrun
