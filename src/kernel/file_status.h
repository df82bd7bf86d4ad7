// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace twinrun {

/// What a system call told of a file.
struct ToldOfFile {
  std::string_view name;  // in the words of a sentence: "the size"; empty: nothing that has a name
  uint64_t begin = 0;     // the bytes of memory that have it; none for the call's result
  uint64_t end = 0;
};

/// `address`: of the byte in memory that is asked about; nothing: the call's result.
ToldOfFile told_of_file(uint64_t call, const std::array<uint64_t, 6>& arguments,
                        std::optional<uint64_t> address);

/// The one of them that follows what was written to the file.
inline constexpr std::string_view kFileSize = "the size";

/// The descriptor that such a call asks about; nothing when it is given a path instead.
std::optional<int64_t> asked_descriptor(uint64_t call, const std::array<uint64_t, 6>& arguments,
                                        std::string_view path);

}  // namespace twinrun
