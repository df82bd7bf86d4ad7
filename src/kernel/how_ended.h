// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/reader.h"

#include <cstdint>
#include <string>

namespace twinrun {

/// How a process ended, as far as that tells what went wrong.
struct HowEnded {
  enum class Kind : uint8_t {
    kExited,
    kCrashed,     // by an instruction of its own, or abort()
    kStopped,     // from outside: by a signal, a timer, or because the recording ended
    kKilled,      // by another signal, which it brought upon itself
    kOtherBegan,  // it became another program
  };
  Kind kind = Kind::kStopped;
  uint32_t status = 0;  // of exit, or the signal
  bool is_cut = false;  // kStopped: nobody knows how it would have gone on, nor why it stopped
  std::string text;     // "exit status 1", "killed by SIGSEGV", "did not end within 5 s"
};

/// The process whose end is that of the run: the first one, or what it became. Null: there is none.
const Process* root_process(const Reader& reader);

Result<HowEnded> how_ended(const Reader& reader, const Process& process);

}  // namespace twinrun
