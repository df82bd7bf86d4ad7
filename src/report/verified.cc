// SPDX-License-Identifier: MIT
#include "report/verified.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"

#include <fmt/format.h>

namespace twinrun {

std::string verified_text(const Verified& verified, const Style& style) {
  const VerifyReport& r = verified.report;
  uint64_t violations = 0;
  for (const auto& [check, count] : r.failures) violations += count;
  std::string out = fmt::format(
      "{}: {}", escape_for_terminal(verified.path),
      r.ok() ? style.green("ok")
             : style.red(fmt::format("{} violation{}", violations, violations == 1 ? "" : "s")));
  out += fmt::format(", {} instructions, {} segments, {} events checked\n",
                     format_count(r.instructions), r.segments, format_count(r.events));
  if (r.regenerated_blocks > 0)
    out += fmt::format(
        "values computed again: {} blocks, compared with {} register states and {} loads\n",
        format_count(r.regenerated_blocks), format_count(r.states), format_count(r.loads_compared));
  if (r.processes_with_io_uring > 0) {
    out += fmt::format("loads of {} process{} were compared up to the first use of io_uring only\n",
                       r.processes_with_io_uring, r.processes_with_io_uring == 1 ? "" : "es");
  }
  if (verified.is_prefix)
    out += fmt::format("it is a prefix: {}; {} behind it cannot be used\n", verified.prefix_note,
                       format_size(verified.lost_bytes));
  for (const Violation& v : r.violations) {
    out += fmt::format("{}  ", v.check);
    if (v.process != 0)
      out += fmt::format("process {} thread {} block {} (segment {}): ", v.process, v.thread,
                         v.block, v.segment);
    out += escape_for_terminal(v.text) + "\n";
  }
  for (const auto& [check, count] : r.failures)
    if (count > VerifyReport::kShownPerCheck)
      out += fmt::format("{} more of {}\n", count - VerifyReport::kShownPerCheck, check);
  return out;
}

std::string verified_json(const Verified& verified) {
  const VerifyReport& r = verified.report;
  Json violations = Json::array();
  for (const Violation& v : r.violations)
    violations.push_back({{"check", v.check},
                          {"process", v.process},
                          {"segment", v.segment},
                          {"thread", v.thread},
                          {"block", v.block},
                          {"text", v.text}});
  Json failures = Json::object();
  for (const auto& [check, count] : r.failures) failures[check] = count;
  return render_json("verify", 1,
                     {{"path", verified.path},
                      {"ok", r.ok()},
                      {"prefix", verified.is_prefix},
                      {"prefix_note", verified.prefix_note},
                      {"lost_bytes", verified.lost_bytes},
                      {"frames", r.frames},
                      {"segments", r.segments},
                      {"blocks", r.blocks},
                      {"instructions", r.instructions},
                      {"definitions", r.definitions},
                      {"events", r.events},
                      {"misses", r.misses},
                      {"regenerated_blocks", r.regenerated_blocks},
                      {"states", r.states},
                      {"loads_compared", r.loads_compared},
                      {"processes_with_io_uring", r.processes_with_io_uring},
                      {"failures", failures},
                      {"violations", violations}});
}

}  // namespace twinrun
