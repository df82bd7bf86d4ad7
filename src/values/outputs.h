// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "trace/reader.h"
#include "values/values.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace twinrun {

/// Bytes that a process gave to the kernel to write.
struct OutputPiece {
  uint64_t address = 0;
  Bytes bytes;
  BlockAt block;        // which ends with the system call
  uint64_t offset = 0;  // of its first byte among all that went to the same descriptor
  std::optional<uint64_t> length_at = {};  // address of its length, in the list of a writev
};

/// What a process wrote to one descriptor.
struct Output {
  int64_t descriptor = 0;
  std::string name;  // "standard output", the file's path
  std::vector<OutputPiece> pieces;
  uint64_t size = 0;
};

/// What a process has written with write(2) and its kin, by descriptor and file, as far as the
/// kernel took it. Memory follows the size of the output.
Result<std::vector<Output>> outputs_of(const Reader& reader, const Process& process);

/// Paths that the process has opened.
Result<std::set<std::string>> opened_files(const Reader& reader, const Process& process);

}  // namespace twinrun
