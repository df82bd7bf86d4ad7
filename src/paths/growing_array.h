// SPDX-License-Identifier: MIT
#pragma once

#include "base/check.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace twinrun {

/// An array that gets large while it grows: what the kernel can move is not copied, so that there
/// are never two of it, and no holes of former sizes stay behind.
template <typename T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  [[nodiscard]] size_t size() const { return size_; }
  T& operator[](size_t i) { return items_.get()[i]; }
  const T& operator[](size_t i) const { return items_.get()[i]; }
  [[nodiscard]] const T* data() const { return items_.get(); }

  void push_back(const T& item) {
    if (size_ == room_) grow();
    std::construct_at(items_.get() + size_++, item);
  }

 private:
  struct Free {
    void operator()(T* items) const { std::free(items); }
  };
  void grow() {
    room_ += room_ / 2 + 64;
    void* const moved = std::realloc(items_.release(), room_ * sizeof(T));
    CHECK(moved != nullptr) << "out of memory";
    items_.reset(static_cast<T*>(moved));
  }

  std::unique_ptr<T, Free> items_;
  size_t size_ = 0;
  size_t room_ = 0;
};

}  // namespace twinrun
