// SPDX-License-Identifier: MIT
// C++ exceptions that cross threads by std::exception_ptr and by std::async.
// torture: flags=-pthread
#include <cstdio>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
static int depth(int n) {
  if (n == 0) throw std::runtime_error("bottom");
  std::string keep(n, 'x');
  return depth(n - 1) + static_cast<int>(keep.size());
}
int main() {
  int caught = 0;
  for (int i = 0; i < 50; i++) {
    std::exception_ptr error;
    std::thread t([&error, i] {
      try {
        depth(i);
      } catch (...) {
        error = std::current_exception();
      }
    });
    t.join();
    try {
      std::rethrow_exception(error);
    } catch (const std::runtime_error &e) {
      caught += e.what()[0] == 'b';
    }
  }
  auto f = std::async(std::launch::async, depth, 30);
  try {
    f.get();
  } catch (const std::exception &e) {
    std::printf("%d %s\n", caught, e.what());
  }
}
