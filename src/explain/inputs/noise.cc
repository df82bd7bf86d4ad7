// SPDX-License-Identifier: MIT
#include "explain/inputs/noise.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace twinrun {
namespace {

bool is_random_device(std::string_view path) {
  return path == "/dev/urandom" || path == "/dev/random";
}

}  // namespace

bool is_noise(const OutsideSource& source) {
  static constexpr std::string_view kCalls[] = {
      "clock_gettime",   "gettimeofday", "time",      "times",  "getrusage",
      "getpid",          "gettid",       "getppid",   "clone",  "clone3",
      "set_tid_address", "getrandom",    "nanosleep", "sysinfo"};
  return std::ranges::find(kCalls, source.call) != std::end(kCalls) ||
         source.input == "random bytes of the kernel" || is_random_device(source.input);
}

bool is_of_kernel(std::string_view path) {
  return path.starts_with("/proc/") || path.starts_with("/sys/") || is_random_device(path);
}

bool is_given(const OutsideSource& source) {
  static constexpr std::string_view kAddresses[] = {"mmap", "brk", "mremap", "shmat"};
  if (is_noise(source) || is_of_kernel(source.input) ||
      std::ranges::find(kAddresses, source.call) != std::end(kAddresses))
    return false;
  switch (source.kind) {
    case OutsideSource::Kind::kSyscall:
    case OutsideSource::Kind::kStartup:
    case OutsideSource::Kind::kFile:
    case OutsideSource::Kind::kSignal: return true;
    case OutsideSource::Kind::kUnseen:
    case OutsideSource::Kind::kZero:
    case OutsideSource::Kind::kParent:
    case OutsideSource::Kind::kStart:
    case OutsideSource::Kind::kAnchor:
    case OutsideSource::Kind::kLate: return false;
  }
  return false;
}

}  // namespace twinrun
