// SPDX-License-Identifier: MIT
#pragma once

#include "run/symbols.h"
#include "trace/maps.h"

#include <cstdint>
#include <string_view>

namespace twinrun {

/// A run-time address in the terms of the module that was mapped there.
struct ModuleAddress {
  const Mapping* mapping = nullptr;          // null: nothing was mapped
  const MappedFile* file = nullptr;          // null: code or data without a file
  const Binaries::Binary* binary = nullptr;  // of the file
  /// As in the ELF file; when that is not known, the offset in the file; without one, in memory.
  ModuleAddr address;
  bool is_in_elf = false;
};

/// What was at the address when `blocks` blocks of the process had begun.
ModuleAddress module_address(Binaries& binaries, const MapHistory& maps, Addr address,
                             uint64_t blocks);

/// By what a file is known in every run: the bytes of its build id, else its path. A copy of a file
/// is the same code. The view is of the file.
std::string_view module_key(const MappedFile& file);

}  // namespace twinrun
