// SPDX-License-Identifier: MIT
#pragma once

#include "kernel/dump_rows.h"
#include "trace/event.h"

#include <optional>
#include <vector>

namespace twinrun {

/// Collects the events of one system call of one thread into a row.
class SyscallCollector {
 public:
  void begin(const SyscallEvent& call, const Position& position);
  /// READ and WRITTEN events.
  void add(const MemoryEvent& memory, bool is_read);
  /// The row of the call that began; of a call that began elsewhere, its result only.
  SyscallRow finish(const SyscallResultEvent& result, const Position& position);
  /// The row of a call that never returned.
  std::optional<SyscallRow> unfinished();

 private:
  [[nodiscard]] SyscallRow make_row(const SyscallEvent& call) const;

  std::optional<SyscallEvent> call_;
  Position position_;
  std::vector<MemoryPiece> data_;
};

/// "\"text\\n\"...", at most `most` bytes.
std::string quoted(ByteSpan bytes, size_t most);

}  // namespace twinrun
