// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/reader.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

/// A string on the first stack, with the zero behind it.
struct InitialString {
  std::string name;  // "argv[1]", "environment variable HOME"
  uint64_t address = 0;
  uint64_t size = 0;
};

/// What a program found on its stack when it started.
struct InitialStack {
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::vector<std::pair<uint64_t, uint64_t>> auxv;  // AT_*, value; without the final AT_NULL
  uint64_t random = 0;  // the first word of the kernel's random bytes (AT_RANDOM); 0: not known
  std::vector<InitialString> strings;

  /// The string that holds the address; null for none.
  [[nodiscard]] const InitialString* string_at(uint64_t address) const;
};

/// Reads the bytes from the stack pointer upward. What points out of them becomes an empty string;
/// a cut vector ends where the bytes do.
InitialStack parse_initial_stack(Addr address, ByteSpan bytes);

/// Of the process, or of the one that it was forked from. Empty when it was not recorded.
Result<InitialStack> initial_stack(const Reader& reader, uint32_t process);

}  // namespace twinrun
