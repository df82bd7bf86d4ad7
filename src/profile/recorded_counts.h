// SPDX-License-Identifier: MIT
#pragma once

#include "profile/address_profile.h"
#include "run/flow.h"

namespace twinrun {

/// What a recording knows of a module, as a profile: exact.
AddressProfile recorded_counts(const ExecutedFlow& flow);

}  // namespace twinrun
