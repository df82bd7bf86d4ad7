// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <string>

namespace twinrun {

/// Writes what is kept beside a recording, as private as that. The file appears under its name only
/// when it is whole. False, with errno, when it cannot be written.
bool write_kept(const std::string& path, ByteSpan bytes);

}  // namespace twinrun
