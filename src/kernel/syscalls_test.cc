// SPDX-License-Identifier: MIT
#include "kernel/syscalls.h"

#include <gtest/gtest.h>

#include <sys/syscall.h>

namespace twinrun {
namespace {

TEST(Syscalls, NumbersHaveNames) {
  EXPECT_EQ(syscall_signature(SYS_read).name, "read");
  EXPECT_EQ(syscall_signature(SYS_openat).arguments, "Dsxm");
  EXPECT_EQ(syscall_signature(SYS_exit_group).name, "exit_group");
  EXPECT_EQ(syscall_signature(9999).name, "");
}

TEST(Syscalls, ResultsBelowZeroAreErrors) {
  EXPECT_EQ(error_name(static_cast<uint64_t>(-2)), "ENOENT");
  EXPECT_EQ(error_name(0), "");
  EXPECT_EQ(error_name(static_cast<uint64_t>(-4096)), "");
  EXPECT_EQ(error_name(0x7fffffffffff), "");
}

TEST(Syscalls, SignalsHaveNames) {
  EXPECT_EQ(signal_name(11), "SIGSEGV");
  EXPECT_EQ(signal_name(99), "SIG99");
}

}  // namespace
}  // namespace twinrun
