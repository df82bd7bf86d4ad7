// SPDX-License-Identifier: MIT
#pragma once

#include "align/diff_stat.h"

#include <string>

namespace twinrun {

struct DiffView {
  size_t limit = 20;
  bool only_program = false;
};

std::string diff_text(const DiffStat& stat, const DiffView& view);
std::string diff_json(const DiffStat& stat, const DiffView& view);

}  // namespace twinrun
