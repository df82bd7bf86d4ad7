// SPDX-License-Identifier: MIT
#pragma once

#include "match/match_report.h"
#include "report/style.h"

#include <cstddef>
#include <string>

namespace twinrun {

/// What of the report is shown; without lists the summary.
struct MatchView {
  bool functions = false;
  bool blocks = false;
  bool data = false;
  bool unmatched = false;
  size_t limit = 0;                         // rows of each list; 0: all
  Strength min_strength = Strength::kNone;  // of the listed pairs

  [[nodiscard]] bool has_lists() const { return functions || blocks || data || unmatched; }
};

std::string match_text(const MatchReport& report, const MatchView& view, const Style& style);
std::string match_json(const MatchReport& report, const MatchView& view);

std::string match_reason_text(const MatchReason& reason, const MatchReport& report,
                              const Style& style);
std::string match_reason_json(const MatchReason& reason);

}  // namespace twinrun
