// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "explain/answer/why.h"
#include "report/source_text.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace twinrun {

/// A finding of the answer (D2) or a node of the graph (N12), with what belongs to it.
struct Shown {
  bool is_finding = false;
  uint32_t number = 0;
  std::vector<size_t> lines;  // of the answer: of a finding up to the next one
  std::vector<uint32_t> nodes;
};

/// C003 when the text is no such name, A006 when the report has none of that name.
Result<Shown> find_shown(const WhyReport& report, SourceText& sources, std::string_view id);

}  // namespace twinrun
