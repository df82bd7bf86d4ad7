// SPDX-License-Identifier: MIT
// thread_local objects: constructed and destroyed per thread, also in a thread that never joins.
// torture: flags=-pthread
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
static std::atomic<int> made, gone;
struct Thing {
  int value = 0;
  Thing() { made++; }
  ~Thing() { gone++; }
};
static thread_local Thing thing;
static __thread int plain = 5;
int main() {
  std::vector<std::thread> threads;
  std::atomic<long> sum{0};
  for (int i = 0; i < 20; i++)
    threads.emplace_back([&sum, i] {
      for (int k = 0; k < 100; k++) thing.value += i;
      plain += i;
      sum += thing.value + plain;
    });
  for (auto &t : threads) t.join();
  std::printf("%d %d %ld\n", made.load(), gone.load(), sum.load());
}
