// SPDX-License-Identifier: MIT
#pragma once

#include "base/work.h"
#include "cli/progress_estimate.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace twinrun {

/// "aligning 43%, 12 s left": one line on standard error that overwrites itself from the first
/// second on and is erased at the end; nothing at all when standard error is no terminal that takes
/// escape sequences. Another thread draws it, so that it goes on while the work has nothing to
/// tell. Nothing else may be printed before finish().
class Progress {
 public:
  static constexpr uint64_t kUnknown = ~uint64_t{0};  // total of work that has no known end

  /// Of one stage, told by update().
  Progress(std::string label, uint64_t total);
  /// Of several, told by sink().
  explicit Progress(std::vector<ProgressStage> plan, std::optional<double> guess = {});
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap.
  void update(uint64_t done);
  /// Must not outlive this.
  [[nodiscard]] WorkSink sink();
  /// Erases the line; further calls do nothing.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void tell(std::string_view stage, double share);
  [[nodiscard]] double now() const;
  void draw_until_finished();

  std::string label_;
  uint64_t total_ = kUnknown;
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_;  // guards what follows
  ProgressEstimate estimate_;
  bool is_finished_ = false;
  std::condition_variable finished_;
  std::thread drawer_;  // none: nothing is drawn
};

/// The text of the line, without control characters. Without an estimate it tells how long it has
/// taken.
std::string progress_line(const ProgressEstimate::View& view, double elapsed_seconds);

}  // namespace twinrun
