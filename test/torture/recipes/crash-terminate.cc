// SPDX-License-Identifier: MIT
// An exception that nobody catches: std::terminate and SIGABRT.
#include <stdexcept>
#include <sys/resource.h>
int main() {
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  throw std::logic_error("nobody catches this");
}
