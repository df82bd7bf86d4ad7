// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "memory/memory_index.h"
#include "run/code_model.h"
#include "run/run.h"

#include <cstdint>
#include <map>

namespace twinrun {

/// Structural indices for the memory map of a process: of its own threads and of those that it was
/// forked from, because what is live in it can have come to be in them. The code model, which the
/// runs of a pair share, must outlive it.
class BirthIndices {
 public:
  BirthIndices(Run& run, CodeModel& model) : run_(run), model_(model) {}

  /// Opens a process and its ancestors. Before anything is asked of the model.
  Result<void> add(uint32_t process);
  /// Of a process that was added.
  [[nodiscard]] const RunProcess& process(uint32_t number) const { return *processes_.at(number); }
  /// Must not outlive this.
  [[nodiscard]] IndexSource source() const;

 private:
  Run& run_;
  CodeModel& model_;
  std::map<uint32_t, RunProcess*> processes_;
};

/// The places of a model's nodes, for texts: of each its last instruction.
MemoryTexts::NodePlace node_places(const CodeModel& model);

}  // namespace twinrun
