// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace twinrun {

/// VEX keeps x86's flags as a thunk: the last operation that set them (CC_OP) and its operands.
/// These compute from it what the three helpers of the same names do in recorded code.
uint64_t rflags_all(uint64_t op, uint64_t dep1, uint64_t dep2, uint64_t ndep);
uint64_t rflags_carry(uint64_t op, uint64_t dep1, uint64_t dep2, uint64_t ndep);
/// Which operands of the thunk an operation's flags depend on.
struct FlagOperands {
  bool dep1 = true;
  bool dep2 = true;
  bool ndep = true;
};
FlagOperands flag_operands(uint64_t op);
uint64_t condition_holds(uint64_t condition, uint64_t op, uint64_t dep1, uint64_t dep2,
                         uint64_t ndep);

}  // namespace twinrun
