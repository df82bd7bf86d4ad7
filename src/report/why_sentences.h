// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/why_lines.h"

#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// What the answer comes to, each a sentence; empty where there is nothing to say. Not escaped.
struct WhySentences {
  std::string misuse;   // what B did to memory that no program may do
  std::string state;    // the first wrong state: its values, and what made it
  std::string end;      // how B died, or where it goes round for ever
  std::string suspect;  // the line that is most likely the cause, where nothing above is known
  std::string because;  // the input that made the difference
  /// Which of WhyReport::inputs the last one tells.
  std::optional<size_t> told;

  /// Those that there are, in this order.
  [[nodiscard]] std::vector<std::string> all() const;
};

WhySentences why_sentences(const WhyReport& report, WhyLines& lines);

}  // namespace twinrun
