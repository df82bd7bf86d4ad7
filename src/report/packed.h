// SPDX-License-Identifier: MIT
#pragma once

#include "run/pack.h"

#include <string>

namespace twinrun {

std::string pack_text(const PackResult& result);
std::string pack_json(const PackResult& result);

}  // namespace twinrun
