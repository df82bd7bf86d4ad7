// SPDX-License-Identifier: MIT
// For tests: random traces with calls, random paths, and answers by the definition alone.
#pragma once

#include "paths/path_event.h"
#include "paths/path_lengths.h"
#include "paths/path_told.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace twinrun {

using SampleRandom = std::mt19937;

/// So many rounds with other random samples; where a sanitizer looks on, which takes some twenty
/// times as long, a tenth of them, unless all are asked for.
inline int rounds(int many) {
#ifdef __SANITIZE_ADDRESS__
  const char* all = std::getenv("TWINRUN_TEST_ALL");
  return all != nullptr && std::string(all) == "1" ? many : many / 10;
#else
  return many;
#endif
}

/// What so many rounds find at least, of what all of them do.
inline uint32_t of_rounds(uint32_t found) {
  return static_cast<uint32_t>(rounds(static_cast<int>(found)));
}

inline uint32_t below(SampleRandom& random, uint32_t limit) {
  return static_cast<uint32_t>(random() % limit);
}

/// What kind of program the random trace is of.
struct SampleShape {
  uint32_t events = 60;
  uint32_t functions = 3;
  uint32_t blocks = 4;
  uint32_t call = 20;  // percent of the events; the rest are blocks
  uint32_t exit = 20;
  uint32_t unwind = 2;   // several exits at once
  uint32_t repeat = 30;  // of blocks: what followed the last time in this function
  bool is_closed = true;

  static SampleShape any(SampleRandom& random) {
    SampleShape shape;
    shape.events = 1 + below(random, below(random, 8) == 0 ? 400 : 90);
    shape.functions = 1 + below(random, 4);
    shape.blocks = 1 + below(random, 6);
    shape.call = 2 + below(random, 40);
    shape.exit = 1 + below(random, 40);
    shape.unwind = below(random, 6);
    shape.repeat = below(random, 100);
    shape.is_closed = below(random, 3) != 0;
    return shape;
  }
};

inline PathTrace sample_trace(SampleRandom& random, const SampleShape& shape) {
  struct Frame {
    uint32_t function;
    uint32_t block;
  };
  PathTrace trace;
  std::vector<Frame> frames;
  const auto exit = [&] {
    trace.push_back(PathEvent::exit());
    frames.pop_back();
  };
  const auto enter = [&](uint32_t function) {
    trace.push_back(PathEvent::entry(function));
    frames.push_back({function, ~0u});
  };
  // Successors by function and block, as a program has them: paths repeat.
  std::vector<uint32_t> usual(size_t{shape.functions} * (shape.blocks + 1));
  for (uint32_t& block : usual) block = below(random, shape.blocks);
  while (trace.size() < shape.events) {
    const uint32_t dice = below(random, 100);
    if (frames.empty() || dice < shape.call) {
      // Half of the calls are direct or mutual recursion.
      const uint32_t function =
          frames.empty() || below(random, 2) == 0
              ? below(random, shape.functions)
              : frames[frames.size() - 1 - below(random, 2) % frames.size()].function;
      enter(function);
    } else if (dice < shape.call + shape.exit) {
      exit();
    } else if (dice < shape.call + shape.exit + shape.unwind) {
      for (uint32_t n = 1 + below(random, 5); n > 0 && !frames.empty(); --n) exit();
    } else {
      Frame& frame = frames.back();
      const uint32_t at = frame.block == ~0u ? shape.blocks : frame.block;
      frame.block = below(random, 100) < shape.repeat
                        ? usual[size_t{frame.function} * (shape.blocks + 1) + at]
                        : below(random, shape.blocks);
      trace.push_back(PathEvent::block(frame.block));
    }
  }
  if (shape.is_closed)
    while (!frames.empty()) exit();
  return trace;
}

/// The marks that a view tells with a trace.
inline std::vector<PathMark> marks_of(const PathTrace& trace,
                                      const std::vector<PathPosition>& steps,
                                      const PathLengths& lengths) {
  std::vector<PathMark> marks;
  std::vector<uint32_t> functions;
  PathPosition end = 0;
  for (uint32_t i = 0; i < trace.size(); ++i) {
    if (!trace[i].is_block() || steps[i] != end) marks.push_back({steps[i] - end, i});
    if (trace[i].is_entry()) {
      functions.push_back(trace[i].function());
      end = steps[i];
    } else if (trace[i].is_exit()) {
      functions.pop_back();
    } else {
      end = steps[i] + lengths.of(functions.back(), trace[i].block());
    }
  }
  return marks;
}

/// Tells a trace to several builders in parts, as a view does.
template <typename... Builders>
void tell_in_parts(SampleRandom& random, const PathTrace& trace,
                   const std::vector<PathPosition>& steps, const PathLengths& lengths,
                   Builders&... builders) {
  const std::vector<PathMark> all = marks_of(trace, steps, lengths);
  size_t next = 0;
  for (uint32_t at = 0; at < trace.size();) {
    const uint32_t count =
        std::min(1 + below(random, 20), static_cast<uint32_t>(trace.size()) - at);
    std::vector<PathMark> marks;
    for (; next < all.size() && all[next].event < at + count; ++next)
      marks.push_back({all[next].gap, all[next].event - at});
    const PathTold told{PathTraceView(trace).subspan(at, count),
                        std::span(steps).subspan(at, count), marks};
    (builders.take(told), ...);
    at += count;
  }
}

/// Every invocation's blocks with their positions, from the definition of section 4.1.
struct NaiveInvocation {
  uint32_t function = 0;
  std::vector<uint32_t> blocks;
  std::vector<PathPosition> positions;
};

inline std::vector<NaiveInvocation> naive_invocations(PathTraceView trace) {
  std::vector<NaiveInvocation> all;
  std::vector<size_t> open;
  for (size_t i = 0; i < trace.size(); ++i) {
    if (trace[i].is_entry()) {
      open.push_back(all.size());
      all.push_back({.function = trace[i].function()});
    } else if (trace[i].is_exit()) {
      open.pop_back();
    } else {
      all[open.back()].blocks.push_back(trace[i].block());
      all[open.back()].positions.push_back(i);
    }
  }
  return all;
}

/// Where all occurrences of the path end, ascending.
inline std::vector<PathPosition> naive_all(const std::vector<NaiveInvocation>& invocations,
                                           const PathQuery& query) {
  std::vector<PathPosition> out;
  for (const NaiveInvocation& invocation : invocations) {
    if (invocation.function != query.function) continue;
    for (size_t end = query.blocks.size(); end <= invocation.blocks.size(); ++end)
      if (std::equal(query.blocks.begin(), query.blocks.end(),
                     invocation.blocks.begin() + static_cast<ptrdiff_t>(end - query.blocks.size())))
        out.push_back(invocation.positions[end - 1]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Half of the paths are parts of what was executed, some of those with one block changed.
inline PathQuery sample_query(SampleRandom& random, const SampleShape& shape,
                              const std::vector<NaiveInvocation>& invocations) {
  PathQuery query;
  if (!invocations.empty() && below(random, 2) == 0) {
    const NaiveInvocation& invocation =
        invocations[below(random, static_cast<uint32_t>(invocations.size()))];
    const auto size = static_cast<uint32_t>(invocation.blocks.size());
    if (size > 0) {
      query.function = invocation.function;
      const uint32_t begin = below(random, size);
      const uint32_t length = 1 + below(random, std::min(size - begin, 12u));
      query.blocks.assign(invocation.blocks.begin() + begin,
                          invocation.blocks.begin() + begin + length);
      if (below(random, 5) == 0) query.blocks[below(random, length)] = below(random, shape.blocks);
      return query;
    }
  }
  query.function = below(random, shape.functions + 1);
  for (uint32_t n = 1 + below(random, 5); n > 0; --n)
    query.blocks.push_back(below(random, shape.blocks + 1));
  return query;
}

/// "m: 1 2 f: 1 E E": what a failing test shows.
inline std::string text_of(PathTraceView trace) {
  std::string out;
  for (const PathEvent event : trace) {
    if (event.is_entry()) {
      out += "F" + std::to_string(event.function()) + ": ";
    } else if (event.is_exit()) {
      out += "E ";
    } else {
      out += std::to_string(event.block()) + " ";
    }
  }
  return out;
}

}  // namespace twinrun
