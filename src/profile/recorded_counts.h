// SPDX-License-Identifier: MIT
#pragma once

#include "counts/flow.h"
#include "profile/address_profile.h"

namespace twinrun {

/// What a recording knows of a module, as a profile: exact.
AddressProfile recorded_counts(const ExecutedFlow& flow);

}  // namespace twinrun
