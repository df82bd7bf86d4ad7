// SPDX-License-Identifier: MIT
#include "kernel/syscalls.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace twinrun {
namespace {

struct Row {
  uint64_t number;
  SyscallSignature signature;
};
constexpr Row kRows[] = {
#define SYSCALL(number, name, Name, arguments) {number, {#name, arguments}},
#include "format/syscalls.def"
#undef SYSCALL
};
constexpr auto kByNumber = [] {
  std::array<SyscallSignature, 512> table{};
  for (const Row& row : kRows) table[row.number] = row.signature;
  return table;
}();

constexpr uint64_t kLargestError = 4095;

}  // namespace

SyscallSignature syscall_signature(uint64_t number) {
  if (number < kByNumber.size() && !kByNumber[number].name.empty()) return kByNumber[number];
  return {"", "?"};
}

std::string error_name(uint64_t result) {
  const uint64_t error = 0 - result;
  if (error == 0 || error > kLargestError) return {};
  const char* name = strerrorname_np(static_cast<int>(error));
  return name != nullptr ? name : fmt::format("error {}", error);
}

std::string signal_name(uint64_t signal) {
  const char* name = signal < 65 ? sigabbrev_np(static_cast<int>(signal)) : nullptr;
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("SIG{}", signal);
}

}  // namespace twinrun
