// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

namespace twinrun {

/// The linker's hash of this program: what another build has kept may be otherwise.
Bytes own_build_id();

}  // namespace twinrun
