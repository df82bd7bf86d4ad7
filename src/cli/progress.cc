// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include "base/escape.h"
#include "base/text.h"
#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace twinrun {
namespace {

constexpr std::chrono::milliseconds kFirst{1000};
constexpr std::chrono::milliseconds kEvery{200};

/// Whole seconds: tenths of an estimate say nothing.
std::string rough_duration(double seconds) {
  return format_duration(std::max(1.0, std::round(seconds)));
}

/// "3 s", not "3.0 s".
std::string whole_seconds(double seconds) {
  return seconds < 10 ? fmt::format("{} s", static_cast<int>(std::max(1.0, std::round(seconds))))
                      : rough_duration(seconds);
}

}  // namespace

std::string progress_line(const ProgressEstimate::View& view, double elapsed_seconds) {
  const std::string stage = view.stage.empty() ? "working" : escape_for_terminal(view.stage);
  if (!view.share || !view.left)
    return fmt::format("{}, {} so far", stage, whole_seconds(elapsed_seconds));
  // All of it is done when the line is gone.
  const int percent = std::min(99, static_cast<int>(*view.share * 100));
  return fmt::format("{} {}%, {} left", stage, percent, whole_seconds(*view.left));
}

Progress::Progress(std::string label, uint64_t total) : Progress({{.name = label}}) {
  label_ = std::move(label);
  total_ = total;
  tell(label_, kUnknownShare);
}

Progress::Progress(std::vector<ProgressStage> plan, std::optional<double> guess)
    : estimate_(std::move(plan), guess) {
  if (color_allowed(STDERR_FILENO)) drawer_ = std::thread([this] { draw_until_finished(); });
}

double Progress::now() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::tell(std::string_view stage, double share) {
  if (!drawer_.joinable()) return;
  const std::lock_guard lock(mutex_);
  estimate_.tell(stage, share, now());
}

void Progress::update(uint64_t done) {
  tell(label_, total_ == kUnknown ? kUnknownShare : share_of(done, total_));
}

WorkSink Progress::sink() {
  return [this](std::string_view stage, double share) { tell(stage, share); };
}

void Progress::draw_until_finished() {
  std::unique_lock lock(mutex_);
  bool is_drawn = false;
  auto next = start_ + kFirst;
  while (!finished_.wait_until(lock, next, [this] { return is_finished_; })) {
    const std::string line = "\r" + progress_line(estimate_.at(now()), now()) + "\x1b[K";
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
    is_drawn = true;
    next = Clock::now() + kEvery;
  }
  if (is_drawn) static_cast<void>(std::fputs("\r\x1b[K", stderr));
}

void Progress::finish() {
  if (!drawer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
  }
  finished_.notify_all();
  drawer_.join();
}

}  // namespace twinrun
