// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "kernel/endpoint.h"
#include "trace/event.h"
#include "trace/reader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

/// What the descriptors of a process mean, followed through its system calls.
class Descriptors {
 public:
  /// Standard input, output and error are there from the beginning; `alone`: no other process can
  /// read from them, so that what was read is counted from the first byte on.
  explicit Descriptors(bool alone);
  /// What the process found open, after all that its parents did before.
  static Result<Descriptors> at_start(const Reader& reader, const Process& process);

  struct File {
    std::string name;     // path, "pipe", "socket", ...; empty: not known
    uint64_t offset = 0;  // where the next read takes from
    bool has_offset = false;
    Endpoint end = {};
  };

  /// To be called with every event of the process, in order.
  void apply(const Event& event);

  /// From here on it is this process, forked or another program. Offsets are shared with others
  /// then, and not told.
  void inherit(uint32_t process);

  /// The file that the running call of the thread reads from, and the offset of its first byte.
  struct Source {
    std::string name;
    std::optional<uint64_t> offset;
    int64_t descriptor = -1;
  };
  [[nodiscard]] std::optional<Source> source(uint32_t thread) const;
  /// What a descriptor means now; null: not known. Duplicates mean the same.
  [[nodiscard]] std::shared_ptr<const File> file(int64_t descriptor) const {
    const auto file = files_.find(descriptor);
    return file == files_.end() ? nullptr : file->second;
  }
  /// Of the file behind a descriptor; empty: not known.
  [[nodiscard]] std::string name(int64_t descriptor) const {
    const auto file = files_.find(descriptor);
    return file == files_.end() ? std::string() : file->second->name;
  }

 private:
  struct Call {
    SyscallEvent event;
    std::string path;  // the first string that the kernel was given
    std::vector<std::pair<uint64_t, Bytes>> addresses;  // pieces of the address of a socket
  };
  void finish(const Call& call, int64_t result);
  void found_open(const DescriptorEvent& found);
  void finish_socket(const Call& call, int64_t result);
  std::shared_ptr<File> make(int64_t descriptor, std::string name, Endpoint::Kind kind);

  std::map<int64_t, std::shared_ptr<File>> files_;
  std::map<uint32_t, Call> calls_;  // under way, by thread
  uint32_t process_ = 0;
  uint32_t made_ = 0;  // ends of pipes and sockets
};

}  // namespace twinrun
