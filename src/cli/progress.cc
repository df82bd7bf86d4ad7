// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include "base/escape.h"
#include "base/text.h"
#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace twinrun {
std::string progress_line(const std::string& label, uint64_t done, uint64_t total,
                          double elapsed_seconds) {
  if (total == Progress::kUnknown)
    return fmt::format("{}  {}", escape_for_terminal(label), format_count(done));
  const double part =
      total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  std::string line = fmt::format("{}  {:3.0f}%", escape_for_terminal(label), part * 100);
  if (part > 0.01 && elapsed_seconds > 0.3) {
    line += "  ETA " + format_duration(elapsed_seconds * (1 - part) / part);
  }
  return line;
}

Progress::Progress(std::string label, uint64_t total)
    : label_(std::move(label)), total_(total), enabled_(color_allowed(STDERR_FILENO)) {}

void Progress::update(uint64_t done) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string line = "\r" + progress_line(label_, done, total_, elapsed) + "\x1b[K";
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

void Progress::finish() {
  if (drawn_) static_cast<void>(std::fputs("\r\x1b[K", stderr));
  drawn_ = false;
  enabled_ = false;
}

}  // namespace twinrun
