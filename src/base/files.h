// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <string>

namespace twinrun {

/// The contents of a regular file of at most 1 GiB; P002 when it cannot be read.
Result<Bytes> read_file(const std::string& path);

}  // namespace twinrun
