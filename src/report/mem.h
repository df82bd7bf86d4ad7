// SPDX-License-Identifier: MIT
#pragma once

#include "align/mem.h"

#include <string>

namespace twinrun {

struct MemView {
  size_t limit = 30;
  bool only_program = false;  // no data of libraries
};

std::string mem_text(const MemReport& report, const MemView& view, PositionForm form);
std::string mem_json(const MemReport& report, const MemView& view);

}  // namespace twinrun
