// SPDX-License-Identifier: MIT
#pragma once

#include "values/outside_source.h"

namespace twinrun {

/// An input that differs from run to run whatever the user does: time, numbers of processes and
/// threads, random bytes.
bool is_noise(const OutsideSource& source);

/// An input that somebody gave: not noise, nor an address that the kernel chose, nor what was there
/// without having been written. It explains more than those, wherever both lead to the same place.
bool is_given(const OutsideSource& source);

}  // namespace twinrun
