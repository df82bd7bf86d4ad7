// SPDX-License-Identifier: MIT
#pragma once

#include "program/instruction.h"

#include <Zydis/Zydis.h>

namespace twinrun {

/// For the sources of this module: the header belongs to Zydis's users.
Flow flow_of(const ZydisDecodedInstruction& in);

}  // namespace twinrun
