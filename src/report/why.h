// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/source_text.h"
#include "report/style.h"

#include <cstddef>
#include <string>

namespace twinrun {

struct WhyView {
  Style style = {};
  size_t width = 100;      // characters of a line
  bool all = false;        // the whole graph, too
  std::string next_flags;  // for commands that are suggested
  std::string next_a;      // how the user named the runs, for the commands that are suggested
  std::string next_b;
};

std::string why_text(const WhyReport& report, SourceText& sources, const WhyView& view);
std::string why_json(const WhyReport& report, SourceText& sources);
std::string why_dot(const WhyReport& report);

}  // namespace twinrun
