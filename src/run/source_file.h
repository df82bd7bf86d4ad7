// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <cstdint>
#include <string>

namespace twinrun {

/// Who says that a file is a source. Debug information comes with a binary, which may be anybody's,
/// and can name any file of whoever asks about it.
enum class NamedBy : uint8_t { kBinary, kUser };

/// Where the text of a source file is now.
struct FoundSource {
  std::string path;
  NamedBy by = NamedBy::kBinary;
};

/// Its contents, which may go into what is sent to others. P002 when it cannot be read, and unless
/// the user named it, when its name is that of no source or it is a link out of its directory.
Result<Bytes> read_source(const FoundSource& source);

}  // namespace twinrun
