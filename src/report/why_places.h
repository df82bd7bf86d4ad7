// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/source_root.h"
#include "report/source_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// What a result that has one place only is shown at, the best first: what the first sentence is
/// about, then lines of the answer, from the end, but for what only A did. All have a line.
std::vector<const NamedInstruction*> headline_places(const WhyReport& report, SourceText& sources);

/// A line of a file below the root.
struct RootPlace {
  std::string file;
  uint64_t line = 0;
  std::string function;

  bool operator==(const RootPlace&) const = default;
};
std::optional<RootPlace> place_below(const SourceRoot& root, const NamedInstruction* at);
/// The first of headline_places() that is below the root.
std::optional<RootPlace> headline_place(const WhyReport& report, SourceText& sources,
                                        const SourceRoot& root);

}  // namespace twinrun
