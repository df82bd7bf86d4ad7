// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>

namespace twinrun {

/// Does what it is given, in that order, on a thread of its own. Who gives waits while too much is
/// still to be done, so that nothing piles up.
class Background {
 public:
  explicit Background(size_t most_waiting);
  /// Does what is left.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void give(std::function<void()> work);
  /// Waits until all of it is done: what it wrote can be read then.
  void wait();

 private:
  void run();

  const size_t most_waiting_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::queue<std::function<void()>> waiting_;
  bool is_busy_ = false;
  bool is_ending_ = false;
  std::thread thread_;  // the last: it uses all of the above
};

}  // namespace twinrun
