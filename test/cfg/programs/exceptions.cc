// SPDX-License-Identifier: MIT
// Exceptions through several frames, caught, rethrown and cleaned up after.
#include <cstdio>
#include <stdexcept>
#include <string>

struct Guard {
  int* count;
  ~Guard() { ++*count; }
};

__attribute__((noinline)) int parse(const std::string& text, int* count) {
  const Guard guard{count};
  if (text.empty()) throw std::invalid_argument("empty");
  return std::stoi(text);
}

__attribute__((noinline)) int checked(const std::string& text, int* count) {
  try {
    const Guard guard{count};
    return parse(text, count) * 2;
  } catch (const std::out_of_range&) {
    return -1;
  } catch (const std::invalid_argument&) {
    if (text == "x") throw;
    return -2;
  }
}

int main() {
  int count = 0;
  int sum = 0;
  for (const char* text : {"12", "", "99999999999999", "y", "x", "7"}) {
    try {
      sum += checked(text, &count);
    } catch (const std::exception& e) {
      std::printf("%s\n", e.what());
    }
  }
  std::printf("%d %d\n", sum, count);
  return 0;
}
