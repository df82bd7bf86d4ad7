// SPDX-License-Identifier: MIT
#include "paths/background.h"

#include <utility>

namespace twinrun {

Background::Background(size_t most_waiting)
    : most_waiting_(most_waiting), thread_([this] { run(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::give(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.size() < most_waiting_; });
  waiting_.push(std::move(work));
  changed_.notify_all();
}

void Background::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && !is_busy_; });
}

void Background::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !waiting_.empty() || is_ending_; });
    if (waiting_.empty()) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop();
    is_busy_ = true;
    lock.unlock();
    changed_.notify_all();
    work();
    lock.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace twinrun
