// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/why_end.h"
#include "report/why_lines.h"

#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// What the answer comes to.
struct WhySentences {
  WhySentence misuse;   // what B did to memory that no program may do
  WhySentence state;    // the first wrong state: its values, and what made it
  WhySentence end;      // how B died, or where it goes round for ever
  WhySentence suspect;  // the line that is most likely the cause, where nothing above is known
  WhySentence because;  // the input that made the difference: about no line
  /// Which of WhyReport::inputs the last one tells.
  std::optional<size_t> told;

  /// Those that there are, in this order.
  [[nodiscard]] std::vector<const WhySentence*> all() const;
  [[nodiscard]] std::vector<std::string> texts() const;
};

WhySentences why_sentences(const WhyReport& report, WhyLines& lines);

}  // namespace twinrun
