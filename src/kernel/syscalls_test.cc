// SPDX-License-Identifier: MIT
#include "kernel/syscalls.h"

#include <gtest/gtest.h>

#include <sys/syscall.h>

#include <map>

namespace twinrun {
namespace {

/// The rows of kernel_writes.def, by call, as they are written.
const std::map<std::string_view, std::string_view> kWrites = {
#define CALL(name, writes) {#name, #writes},
#define COMMAND(name, number, command, writes)
#include "format/kernel_writes.def"
};

TEST(Syscalls, WhatTheKernelWritesIsInBothTables) {
  int compared = 0;
  for (uint64_t call = 0; call < 512; ++call) {
    const SyscallSignature signature = syscall_signature(call);
    const auto row = kWrites.find(signature.name);
    for (size_t i = 0; i < signature.arguments.size(); ++i) {
      const char kind = signature.arguments[i];
      if (kind != 'b' && kind != 'o') continue;
      ASSERT_NE(row, kWrites.end()) << signature.name;
      EXPECT_NE(row->second.find("arg[" + std::to_string(i) + "]"), std::string_view::npos)
          << signature.name << " argument " << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 60);
}

TEST(Syscalls, TheirNamesAreThoseOfTheOtherTable) {
  std::map<std::string_view, uint64_t> names;
  for (uint64_t call = 0; call < 512; ++call) names[syscall_signature(call).name] = call;
  for (const auto& [name, writes] : kWrites) EXPECT_TRUE(names.contains(name)) << name;
}

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
