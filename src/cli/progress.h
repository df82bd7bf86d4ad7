// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace twinrun {

/// "reading   45%  ETA 3 s": one line on standard error that overwrites itself and is erased at the
/// end; nothing at all when standard error is no terminal that takes escape sequences.
class Progress {
 public:
  static constexpr uint64_t kUnknown = ~uint64_t{0};  // total of work that has no known end

  Progress(std::string label, uint64_t total);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap: redraws at most ten times a second.
  void update(uint64_t done);
  /// Erases the line; further calls do nothing.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  uint64_t total_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_ = start_ + std::chrono::milliseconds(300);
};

/// The text of the line, without control characters.
std::string progress_line(const std::string& label, uint64_t done, uint64_t total,
                          double elapsed_seconds);

}  // namespace twinrun
