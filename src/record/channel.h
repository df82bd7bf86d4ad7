// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "format/trace_format.h"

#include <array>
#include <optional>

namespace twinrun {

/// The driver's end of one process's shared memory: a ring of slots, each one segment. The recorder
/// fills slots and counts them in `produced`; we drain them and count in `consumed`.
class Channel {
 public:
  static Result<Channel> create();
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&& other) noexcept;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  [[nodiscard]] int fd() const { return fd_; }  // to hand to the recorder; close_fd() afterwards
  [[nodiscard]] int shm_id() const { return shm_id_; }  // where there is no fd
  [[nodiscard]] uint64_t size() const { return size_; }
  void close_fd();

  struct Filled {
    TwSlot slot;
    std::array<ByteSpan, TW_STREAM_COUNT> streams;
  };
  /// The oldest slot that is filled and not yet consumed.
  [[nodiscard]] bool has_filled() const;
  [[nodiscard]] Filled oldest() const;
  void consume();  // frees the oldest slot

  /// Whether the recorder said that nothing follows.
  [[nodiscard]] bool finished() const;
  /// The slot that a dead or stopped process was filling, if there is anything in it. Only after
  /// all filled slots are consumed.
  [[nodiscard]] std::optional<Filled> salvage() const;
  /// Asks the recorder to hand over what it has and to run on without recording.
  void detach();

 private:
  Channel() = default;
  bool map_file();
  bool map_system_v();
  [[nodiscard]] Filled view(uint32_t number) const;

  TwChannel* shared_ = nullptr;
  uint64_t size_ = 0;
  int fd_ = -1;
  int shm_id_ = -1;
};

}  // namespace twinrun
