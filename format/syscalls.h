// SPDX-License-Identifier: MIT
// Names for the numbers of x86-64's system calls, from syscalls.def: sys::kRtSigreturn.
#pragma once

#include "format/registers.h"

#include <cstdint>

namespace twinrun {

namespace sys {
#define SYSCALL(number, name, Name, arguments) inline constexpr uint64_t k##Name = number;
#include "format/syscalls.def"
#undef SYSCALL
}  // namespace sys

#define SYSCALL(number, name, Name, arguments) \
  static_assert(registers_def::is_spelled(#name, #Name));
#include "format/syscalls.def"
#undef SYSCALL

}  // namespace twinrun
