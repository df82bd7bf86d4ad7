// SPDX-License-Identifier: MIT
#include "explain/answer/noise.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace twinrun {

bool is_noise(const OutsideSource& source) {
  static constexpr std::string_view kCalls[] = {
      "clock_gettime",   "gettimeofday", "time",      "times",  "getrusage",
      "getpid",          "gettid",       "getppid",   "clone",  "clone3",
      "set_tid_address", "getrandom",    "nanosleep", "sysinfo"};
  return std::ranges::find(kCalls, source.call) != std::end(kCalls) ||
         source.input == "random bytes of the kernel";
}

bool is_given(const OutsideSource& source) {
  static constexpr std::string_view kAddresses[] = {"mmap", "brk", "mremap", "shmat"};
  if (is_noise(source) || std::ranges::find(kAddresses, source.call) != std::end(kAddresses))
    return false;
  switch (source.kind) {
    case OutsideSource::Kind::kSyscall:
    case OutsideSource::Kind::kStartup:
    case OutsideSource::Kind::kFile:
    case OutsideSource::Kind::kSignal: return true;
    case OutsideSource::Kind::kUnseen:
    case OutsideSource::Kind::kZero:
    case OutsideSource::Kind::kParent:
    case OutsideSource::Kind::kStart: return false;
  }
  return false;
}

}  // namespace twinrun
