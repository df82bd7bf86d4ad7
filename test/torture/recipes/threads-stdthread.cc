/* SPDX-License-Identifier: MIT */
/* std::thread, async, future, condition_variable, shared_mutex and latch. */
/* torture: flags=-std=c++20 -pthread */
#include <condition_variable>
#include <future>
#include <iostream>
#include <latch>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <thread>
#include <vector>
int main() {
  std::vector<int> v(10000);
  std::iota(v.begin(), v.end(), 0);
  std::vector<std::future<long>> parts;
  for (int i = 0; i < 4; i++)
    parts.push_back(std::async(std::launch::async, [&, i] { return std::accumulate(v.begin() + i * 2500, v.begin() + (i + 1) * 2500, 0L); }));
  long sum = 0;
  for (auto &p : parts) sum += p.get();
  std::cout << sum << '\n';
  std::promise<int> bad;
  std::thread t([&] { try { throw std::runtime_error("from a thread"); } catch (...) { bad.set_exception(std::current_exception()); } });
  try { bad.get_future().get(); } catch (const std::exception &e) { std::cout << e.what() << '\n'; }
  t.join();
  std::shared_mutex m;
  std::latch done(3);
  int shared = 0;
  std::vector<std::jthread> all;
  for (int i = 0; i < 3; i++) all.emplace_back([&] { for (int k = 0; k < 100; k++) { std::unique_lock lock(m); ++shared; } done.count_down(); });
  done.wait();
  std::shared_lock lock(m);
  std::cout << shared << '\n';
}
