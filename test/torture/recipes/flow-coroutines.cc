// SPDX-License-Identifier: MIT
// C++20 coroutines: a generator, and a chain of awaiting tasks.
// torture: flags=-std=c++20 -O1
#include <coroutine>
#include <cstdio>
struct Generator {
  struct promise_type {
    long value = 0;
    Generator get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long v) noexcept {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};
static Generator fibonacci() {
  long a = 0, b = 1;
  for (;;) {
    co_yield a;
    long c = a + b;
    a = b;
    b = c;
  }
}
static Generator twice(Generator g) {
  for (int i = 0; i < 60; i++) {
    g.h.resume();
    co_yield g.h.promise().value * 2;
  }
}
int main() {
  auto inner = fibonacci();
  auto outer = twice(inner);
  long sum = 0;
  for (int i = 0; i < 60; i++) {
    outer.h.resume();
    sum += outer.h.promise().value;
  }
  outer.h.destroy();
  inner.h.destroy();
  std::printf("%ld\n", sum);
}
