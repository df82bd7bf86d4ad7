// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <iostream>
#include <sstream>

namespace twinrun {

/// Collects the facts streamed into a failed CHECK, prints them and ends the process with exit
/// code 3 ("our bug").
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition) {
    message_ << "twinrun: internal error: " << condition << " is false at " << file << ":" << line;
  }
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure() {
    std::cerr << message_.str() << "\n";
    std::_Exit(3);
  }
  template <typename T>
  CheckFailure& operator<<(const T& fact) {
    message_ << " " << fact;
    return *this;
  }

 private:
  std::ostringstream message_;
};

}  // namespace twinrun

/// An invariant of our own code, on in every build: `CHECK(next <= end) << next << end;`
#define CHECK(condition) \
  if (condition) {       \
  } else                 \
    ::twinrun::CheckFailure(__FILE__, __LINE__, #condition)
