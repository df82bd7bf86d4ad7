// SPDX-License-Identifier: MIT
#pragma once

#include "program/debug_info.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// Where the System V calling convention for x86-64 puts things. Registers by DWARF number; of
/// vectors the low halves only, which is what numbers and small records need.
struct ArgumentPlaces {
  std::vector<Location> parameters;  // as seen by the first instruction of the callee
};

/// `sp`: of the first instruction of the callee, where the return address is.
ArgumentPlaces argument_places(const FunctionSignature& signature, uint64_t sp,
                               const ValueSource& source);
/// Of the result, when the function has returned. Unavailable for void and for what comes on the
/// x87 stack.
Location result_place(const FunctionSignature& signature, const ValueSource& source);

}  // namespace twinrun
