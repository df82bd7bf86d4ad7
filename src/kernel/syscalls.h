// SPDX-License-Identifier: MIT
#pragma once

#include "format/syscalls.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace twinrun {

/// A system call of x86-64 Linux. `arguments` has one letter an argument (see syscalls.def); "?"
/// when they are not known.
struct SyscallSignature {
  std::string_view name;  // empty for an unknown number
  std::string_view arguments;
};
SyscallSignature syscall_signature(uint64_t number);

/// "ENOENT" for a result of -2; empty for a success.
std::string error_name(uint64_t result);

/// "SIGSEGV"; "SIG77" for an unknown one.
std::string signal_name(uint64_t signal);

}  // namespace twinrun
