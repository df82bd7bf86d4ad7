// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace twinrun {

class Reader;

/// A moment in a run: `step` instructions of the thread have been executed.
struct Position {
  ProcessId process{1};
  ThreadNo thread{1};
  Step step{0};

  auto operator<=>(const Position&) const = default;
};

/// How much of a position must be written so that nobody can misunderstand it.
enum class PositionForm {
  kStep,        // one process, one thread: 12345
  kThreadStep,  // one process: 2.12345
  kFull,        // 3.2.12345
};
PositionForm shortest_form(const Reader& reader);

/// `form` says how many parts; a reader takes all three forms anywhere.
std::string format_position(const Position& position, PositionForm form);

/// "STEP", "THREAD.STEP" or "PROCESS.THREAD.STEP"; the parts that are left out are those of
/// `defaults`. Digits may be grouped by '_' or ','. T008 when it cannot be read.
Result<Position> parse_position(std::string_view text, const Position& defaults);

/// "FROM..TO", "FROM..", "..TO" or "AT" (one instruction); TO is not included and may be "+COUNT".
struct PositionRange {
  Position from;
  Position to;
};
Result<PositionRange> parse_range(std::string_view text, const Position& defaults);

inline constexpr uint64_t kLastStep = ~0ull;

}  // namespace twinrun
