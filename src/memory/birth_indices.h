// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "memory/memory_index.h"
#include "run/code_space.h"
#include "run/iteration_marks.h"
#include "run/run.h"

#include <cstdint>
#include <map>

namespace twinrun {

/// Structural indices for the memory map of a process: of its own threads and of those that it was
/// forked from, because what is live in it can have come to be in them. The space, which the
/// runs of a pair share, must outlive it, and so must the marks of a run that is compared.
class BirthIndices {
 public:
  BirthIndices(Run& run, CodeSpace& space, const RunMarks* marks = nullptr)
      : run_(run), space_(space), marks_(marks) {}

  /// Opens a process and its ancestors. Before anything is asked of the space.
  Result<void> add(uint32_t process);
  /// Of a process that was added.
  [[nodiscard]] RunProcess& process(uint32_t number) const { return *processes_.at(number); }
  /// Must not outlive this.
  [[nodiscard]] IndexSource source() const;

 private:
  Run& run_;
  CodeSpace& space_;
  const RunMarks* marks_;
  std::map<uint32_t, RunProcess*> processes_;
};

/// The places of a space's nodes, for texts: of each its last instruction.
MemoryTexts::NodePlace node_places(const CodeSpace& space);

}  // namespace twinrun
