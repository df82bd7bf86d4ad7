// SPDX-License-Identifier: MIT
#include "report/recorded.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"

#include <fmt/format.h>

namespace twinrun {

std::string recorded_line(const Recorded& recorded) {
  const std::string end = recorded.term_signal != 0 ? fmt::format("signal {}", recorded.term_signal)
                                                    : fmt::format("exit {}", recorded.exit_status);
  const std::string processes =
      recorded.processes > 1 ? fmt::format(", {} processes", recorded.processes) : "";
  return fmt::format("{} {}: {}, {} instructions{}, {}",
                     recorded.complete ? "recorded" : "recorded a part of",
                     escape_for_terminal(recorded.name), end, format_count(recorded.instructions),
                     processes, format_size(recorded.size));
}

std::string recorded_json(const Recorded& recorded) {
  return render_json("record", 1,
                     {{"name", recorded.name},
                      {"path", recorded.path},
                      {"command", recorded.command},
                      {"exit_status", recorded.exit_status},
                      {"signal", recorded.term_signal != 0 ? Json(recorded.term_signal) : Json()},
                      {"instructions", recorded.instructions},
                      {"processes", recorded.processes},
                      {"size", recorded.size},
                      {"complete", recorded.complete},
                      {"wall_seconds", recorded.wall_seconds},
                      {"tool_cpu_seconds", recorded.tool_cpu_seconds},
                      {"driver_cpu_seconds", recorded.driver_cpu_seconds},
                      {"memory_cpu_seconds", recorded.memory_cpu_seconds},
                      {"tool_max_rss_kb", recorded.tool_max_rss_kb},
                      {"driver_max_rss_kb", recorded.driver_max_rss_kb},
                      {"warnings", recorded.warnings}});
}

}  // namespace twinrun
