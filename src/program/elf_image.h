// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <string>
#include <utility>
#include <vector>

namespace twinrun {

using NamedSections = std::vector<std::pair<std::string, ByteSpan>>;

/// An x86-64 ELF file that consists of these sections.
Bytes build_elf_image(const NamedSections& sections);

}  // namespace twinrun
