// SPDX-License-Identifier: MIT
// At which steps of its thread the events of a trace happened. A block begins when the one before
// it ends, most of the time; a call comes as many instructions later as the last time from that
// block (the stub that leads to it). What differs from that is written down: instructions that
// repeat themselves, other stacks of the thread, code that is not told.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "paths/path_event.h"
#include "paths/path_lengths.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// When the next event is expected.
class PathClock {
 public:
  /// The lengths must outlive it.
  explicit PathClock(const PathLengths& lengths) : lengths_(&lengths) {}

  [[nodiscard]] PathPosition expected(PathEvent event) {
    if (!event.is_entry()) return now_;
    waited_ = &stubs_[uint64_t{function_} << 32 | block_];
    return now_ + *waited_;
  }
  /// The event that was asked for happened then.
  void happened(PathEvent event, PathPosition at);

 private:
  const PathLengths* lengths_;
  PathPosition now_ = 0;
  std::vector<uint32_t> frames_;  // functions
  uint32_t function_ = ~0u;       // of the last block
  uint32_t block_ = ~0u;
  PathPosition* waited_ = nullptr;
  boost::unordered_flat_map<uint64_t, PathPosition> stubs_;  // by function and block
};

class PathClockBuilder {
 public:
  explicit PathClockBuilder(const PathLengths& lengths) : clock_(lengths) {}

  /// Steps do not descend.
  void take(PathTraceView events, std::span<const PathPosition> steps);
  [[nodiscard]] Bytes finish(int level) const;

 private:
  PathClock clock_;
  uint64_t events_ = 0;
  uint64_t last_surprise_ = 0;
  ByteWriter surprises_;
};

/// The steps of a trace's events again.
class PathClockReader {
 public:
  /// From untrusted bytes; T006. The lengths must outlive it.
  static Result<PathClockReader> open(ByteSpan bytes, const PathLengths& lengths);

  /// Of the next events.
  void steps(PathTraceView events, std::vector<PathPosition>& out);

 private:
  PathClockReader(Bytes raw, const PathLengths& lengths);
  void next_surprise();

  Bytes raw_;
  size_t at_ = 0;
  PathClock clock_;
  uint64_t events_ = 0;
  uint64_t surprise_at_ = 0;
  PathPosition surprise_ = 0;  // what is to be added
};

}  // namespace twinrun
