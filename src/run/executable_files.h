// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/maps.h"
#include "trace/reader.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// The files whose code can be executed, in the order of their mapping, each once.
Result<std::vector<MappedFile>> executable_files(const Reader& reader,
                                                 const std::vector<uint32_t>& processes);

}  // namespace twinrun
