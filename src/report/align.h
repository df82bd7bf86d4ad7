// SPDX-License-Identifier: MIT
#pragma once

#include "align/align.h"
#include "report/style.h"

#include <string>

namespace twinrun {

struct AlignView {
  bool regions = false;
  size_t limit = 100;  // rows of regions and places
};

std::string align_text(const AlignReport& report, const AlignView& view, PositionForm form);
std::string align_json(const AlignReport& report, const AlignView& view);

}  // namespace twinrun
