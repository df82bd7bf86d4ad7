// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "explain/graph/value_pairs.h"
#include "values/outputs.h"
#include "values/outside_source.h"
#include "values/shared_memory.h"
#include "values/streams.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace twinrun {

/// Bytes that one recorded process gave to another: where the giver had them.
struct HandedOver {
  ProcessView* from = nullptr;
  BlockAt block;  // ends with the system call that gave them
  BytesOf bytes = {};
  std::optional<BytesOf> chosen_by = {};  // the pointer to them, when that was given
  bool is_fault = false;  // no call: an instruction of the block that could not be executed
};

/// The block that a process executed last.
Result<std::optional<BlockAt>> last_block_of(ProcessView& view);

/// Follows what comes to a process from outside into the process that it came from: arguments and
/// environment into who called execve, the status of a child into its exit or the signal that
/// killed it, what is received from pipes and sockets into who sent it, what is read from files
/// into who wrote it, the size of a file into how much was written.
class HandOvers {
 public:
  explicit HandOvers(RunPair& runs) : runs_(runs) {}

  /// Nothing for what no recorded process is known to have given. `bytes` have this writer, which
  /// is no statement, and that source.
  Result<std::optional<HandedOver>> find(RunSide side, ProcessView& view, const LastWriter& writer,
                                         const OutsideSource& source, const BytesOf& bytes);
  /// The same for what was read in memory that processes share, and is not what the process left
  /// there. `writer` is the last one in the process; `value` is what was read.
  Result<std::optional<HandedOver>> find_shared(RunSide side, ProcessView& view,
                                                const LastWriter& writer, const BytesOf& bytes,
                                                std::span<const uint8_t> value);

 private:
  Result<std::optional<HandedOver>> from_exec(RunSide side, ProcessView& view,
                                              const BytesOf& bytes);
  Result<std::optional<HandedOver>> from_child(RunSide side, ProcessView& view,
                                               const LastWriter& writer, const BytesOf& bytes);
  /// `child`: nothing when it was killed before it had recorded anything.
  static Result<std::optional<HandedOver>> from_signal(Run& run, uint64_t pid, const Process* child,
                                                       uint32_t signal);
  Result<std::optional<HandedOver>> from_stream(RunSide side, ProcessView& view,
                                                const LastWriter& writer, const BytesOf& bytes);
  Result<std::optional<HandedOver>> from_file(RunSide side, ProcessView& view,
                                              const LastWriter& writer, const OutsideSource& source,
                                              const BytesOf& bytes);
  Result<std::optional<HandedOver>> from_size(RunSide side, ProcessView& view,
                                              const LastWriter& writer, const OutsideSource& source,
                                              const BytesOf& bytes);
  /// Whether processes that correspond started it in both runs: a shell that only one of them has
  /// explains nothing of the other one's arguments.
  [[nodiscard]] bool is_started_alike(RunSide side, const Process& process) const;
  Result<const std::vector<Output>*> outputs(RunSide side, uint32_t process);
  Result<const std::vector<Stream>*> streams(RunSide side, uint32_t process);
  Result<const std::vector<SharedPart>*> shared(RunSide side, uint32_t process);

  RunPair& runs_;
  std::map<std::pair<RunSide, uint32_t>, std::vector<Output>> outputs_;
  std::map<std::pair<RunSide, uint32_t>, std::vector<Stream>> streams_;
  std::map<std::pair<RunSide, uint32_t>, std::vector<SharedPart>> shared_;
};

}  // namespace twinrun
