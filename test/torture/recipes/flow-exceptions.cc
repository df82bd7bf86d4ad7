// SPDX-License-Identifier: MIT
// Exceptions through destructors, rethrown, nested, and from a constructor.
#include <cstdio>
#include <stdexcept>
#include <string>
static int destroyed;
struct Guard {
  ~Guard() { destroyed++; }
};
struct Fails {
  Guard g;
  explicit Fails(int n) {
    if (n % 3 == 0) throw std::out_of_range(std::to_string(n));
  }
};
static int level(int n, int what) {
  Guard g;
  if (n == 0) {
    Fails f(what);
    return what;
  }
  try {
    return level(n - 1, what);
  } catch (const std::out_of_range &e) {
    if (n % 4 == 0) throw std::runtime_error(e.what());
    throw;
  }
}
int main() {
  long sum = 0, errors = 0;
  for (int i = 0; i < 60; i++) try {
      sum += level(i % 13, i);
    } catch (const std::runtime_error &e) {
      errors += std::stoi(e.what());
    } catch (const std::logic_error &e) {
      errors += 1000;
    }
  std::printf("%ld %ld %d\n", sum, errors, destroyed);
}
