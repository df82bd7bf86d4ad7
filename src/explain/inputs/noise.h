// SPDX-License-Identifier: MIT
#pragma once

#include "values/outside_source.h"

#include <string_view>

namespace twinrun {

/// An input that differs from run to run whatever the user does: time, numbers of processes and
/// threads, random bytes.
bool is_noise(const OutsideSource& source);

/// A file in which the kernel tells of itself and of the process (/proc, /sys), or random bytes:
/// nobody wrote it.
bool is_of_kernel(std::string_view path);

/// An input that somebody gave: not noise, nor what the kernel tells of itself, nor an address that
/// the kernel chose, nor what was there without having been written. It explains more than those,
/// wherever both lead to the same place.
bool is_given(const OutsideSource& source);

}  // namespace twinrun
