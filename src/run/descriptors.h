// SPDX-License-Identifier: MIT
#pragma once

#include "trace/event.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace twinrun {

/// What the descriptors of a process mean, followed through its system calls. Descriptors that it
/// got from its parent are known by number only.
class Descriptors {
 public:
  struct File {
    std::string name;     // path, "pipe", "socket", ...; empty: not known
    uint64_t offset = 0;  // where the next read takes from
    bool has_offset = false;
  };

  /// To be called with every event of the process, in order.
  void apply(const Event& event);

  /// The file that the running call of the thread reads from, and the offset of its first byte.
  struct Source {
    std::string name;
    std::optional<uint64_t> offset;
    int64_t descriptor = -1;
  };
  [[nodiscard]] std::optional<Source> source(uint32_t thread) const;

 private:
  struct Call {
    SyscallEvent event;
    std::string path;  // the first string that the kernel was given
  };
  void finish(const Call& call, int64_t result);

  std::map<int64_t, std::shared_ptr<File>> files_;
  std::map<uint32_t, Call> calls_;  // under way, by thread
};

}  // namespace twinrun
