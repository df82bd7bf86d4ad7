// SPDX-License-Identifier: MIT
#pragma once

#include "trace/position.h"
#include "values/process_view.h"

#include <cstdint>
#include <optional>
#include <string>

namespace twinrun {

/// Where bytes came from that no instruction wrote.
struct OutsideSource {
  enum class Kind : uint8_t {
    kSyscall,
    kSignal,
    kStartup,  // arguments, environment
    kUnseen,   // changed by the kernel or another process, or not told
    kFile,     // mapped
    kZero,     // fresh memory
    kParent,   // from before the fork
    kStart,    // from before the thread or the recording began
    kAnchor,   // from before the runs were compared
    kLate,     // from before the function at which the recording begins
  };
  Kind kind = Kind::kStart;
  Position position;               // what the thread executed next
  std::string call;                // "read", of a system call
  std::string path;                // that the call was given
  std::optional<uint64_t> result;  // of the call, when that is what was used
  std::optional<uint64_t> value;   // at most a word; of a `field`, the whole
  std::string field;               // "the size", when a file's status was told
  std::string input;               // "data.csv", "standard input", "argv[1]"
  std::optional<uint64_t> offset;  // in that
};

/// Of the bytes [where, where + size) of memory, or of the register file, that have this writer.
/// The writer must not be a statement.
Result<OutsideSource> outside_source(ProcessView& view, const LastWriter& writer, uint64_t where,
                                     uint32_t size);

}  // namespace twinrun
