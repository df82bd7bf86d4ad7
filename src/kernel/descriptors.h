// SPDX-License-Identifier: MIT
#pragma once

#include "trace/event.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace twinrun {

/// What the descriptors of a process mean, followed through its system calls.
class Descriptors {
 public:
  /// Standard input, output and error are there from the beginning; `alone`: no other process can
  /// read from them, so that what was read is counted from the first byte on.
  explicit Descriptors(bool alone);

  struct File {
    std::string name;     // path, "pipe", "socket", ...; empty: not known
    uint64_t offset = 0;  // where the next read takes from
    bool has_offset = false;
  };

  /// To be called with every event of the process, in order.
  void apply(const Event& event);

  /// From here on it is a forked process, or another program. Offsets are shared with others then,
  /// and not told.
  void inherit();

  /// The file that the running call of the thread reads from, and the offset of its first byte.
  struct Source {
    std::string name;
    std::optional<uint64_t> offset;
    int64_t descriptor = -1;
  };
  [[nodiscard]] std::optional<Source> source(uint32_t thread) const;
  /// Of the file behind a descriptor; empty: not known.
  [[nodiscard]] std::string name(int64_t descriptor) const {
    const auto file = files_.find(descriptor);
    return file == files_.end() ? std::string() : file->second->name;
  }

 private:
  struct Call {
    SyscallEvent event;
    std::string path;  // the first string that the kernel was given
  };
  void finish(const Call& call, int64_t result);
  void found_open(const DescriptorEvent& found);

  std::map<int64_t, std::shared_ptr<File>> files_;
  std::map<uint32_t, Call> calls_;  // under way, by thread
};

}  // namespace twinrun
