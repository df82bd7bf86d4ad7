// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <string>

namespace twinrun {

/// The debug file of that build, from the servers that DEBUGINFOD_URLS names, as a file of the
/// user's cache of them; empty when no server is named, none has it, or elfutils' client is not
/// installed. Each build is asked for once.
std::string ask_debuginfod(ByteSpan build_id);

}  // namespace twinrun
