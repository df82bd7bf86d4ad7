// SPDX-License-Identifier: MIT
#include "trace/position.h"

#include "trace/reader.h"

#include <algorithm>
#include <vector>

namespace twinrun {
namespace {

std::unexpected<Error> unreadable(std::string_view text) {
  Error error{"T008", fmt::format("'{}' is not a position", text), {}, {}};
  return std::unexpected(std::move(error).with_help(
      "write STEP, THREAD.STEP or PROCESS.THREAD.STEP, for example 2.1.12345"));
}

bool parse_number(std::string_view text, uint64_t& out) {
  if (text.empty() || text.front() == '_' || text.front() == ',') return false;
  out = 0;
  for (const char c : text) {
    if (c == '_' || c == ',') continue;
    if (c < '0' || c > '9') return false;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (out > (UINT64_MAX - digit) / 10) return false;
    out = out * 10 + digit;
  }
  return true;
}

}  // namespace

PositionForm shortest_form(const Reader& reader) {
  if (reader.processes().size() > 1) return PositionForm::kFull;
  for (const auto& [number, process] : reader.processes())
    if (process.thread_steps.size() > 1) return PositionForm::kThreadStep;
  return PositionForm::kStep;
}

std::string format_position(const Position& position, PositionForm form) {
  switch (form) {
    case PositionForm::kStep: return fmt::format("{}", position.step.value);
    case PositionForm::kThreadStep:
      return fmt::format("{}.{}", position.thread.value, position.step.value);
    case PositionForm::kFull: break;
  }
  return fmt::format("{}.{}.{}", position.process.value, position.thread.value,
                     position.step.value);
}

Result<Position> parse_position(std::string_view text, const Position& defaults) {
  std::vector<uint64_t> parts;
  for (std::string_view rest = text;;) {
    const size_t dot = rest.find('.');
    uint64_t number = 0;
    if (parts.size() == 3 || !parse_number(rest.substr(0, dot), number)) return unreadable(text);
    parts.push_back(number);
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  Position out = defaults;
  out.step = {parts.back()};
  if (parts.size() >= 2) {
    const uint64_t thread = parts[parts.size() - 2];
    if (thread == 0 || thread > UINT32_MAX) return unreadable(text);
    out.thread = {static_cast<uint32_t>(thread)};
  }
  if (parts.size() == 3) {
    if (parts[0] == 0 || parts[0] > UINT32_MAX) return unreadable(text);
    out.process = {static_cast<uint32_t>(parts[0])};
  }
  return out;
}

Result<PositionRange> parse_range(std::string_view text, const Position& defaults) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    TRY(const Position at, parse_position(text, defaults));
    Position behind = at;
    if (behind.step.value != kLastStep) ++behind.step.value;
    return PositionRange{at, behind};
  }
  const std::string_view from = text.substr(0, dots);
  const std::string_view to = text.substr(dots + 2);
  PositionRange out{defaults, defaults};
  if (!from.empty()) {
    TRY(out.from, parse_position(from, defaults));
  }
  out.to = out.from;
  out.to.step = {kLastStep};
  if (to.starts_with('+')) {
    uint64_t count = 0;
    if (!parse_number(to.substr(1), count)) return unreadable(to);
    out.to.step = {count > kLastStep - out.from.step.value ? kLastStep
                                                           : out.from.step.value + count};
  } else if (!to.empty()) {
    TRY(out.to, parse_position(to, out.from));
    if (from.empty()) {
      out.from = out.to;
      out.from.step = {0};
    }
  }
  if (out.to.process != out.from.process || out.to.thread != out.from.thread)
    return fail("T008", "the range '{}' spans two threads", text);
  return out;
}

}  // namespace twinrun
