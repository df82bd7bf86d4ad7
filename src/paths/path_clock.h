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
#include "paths/path_told.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// When the next event is expected.
class PathClock {
 public:
  /// A block of a function, as one number.
  [[nodiscard]] static uint64_t place(uint32_t function, uint32_t block) {
    return uint64_t{function} << 32 | block;
  }
  static constexpr uint64_t kNowhere = ~uint64_t{0};  // in front of the first block

  /// The lengths must outlive it.
  explicit PathClock(const PathLengths& lengths) : lengths_(&lengths) {}

  [[nodiscard]] PathPosition expected(PathEvent event) {
    if (!event.is_entry()) return now_;
    waited_ = &stubs_[place(function_, block_)];
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

/// Writes the surprises of a clock that knows how long blocks are, from what a view tells: it looks
/// at marks alone.
class PathClockBuilder {
 public:
  void take(const PathTold& told);
  [[nodiscard]] Bytes finish(int level) const;

 private:
  void surprise(uint32_t event, PathPosition difference);

  std::vector<uint32_t> frames_;  // functions
  // The last block, and how long calls from blocks take to come to their function.
  uint64_t place_ = PathClock::kNowhere;
  boost::unordered_flat_map<uint64_t, PathPosition> stubs_;
  PathEvent last_ = PathEvent::exit();
  uint64_t events_ = 0;  // that were told before
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
