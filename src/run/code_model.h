// SPDX-License-Identifier: MIT
#pragma once

#include "run/code_space.h"
#include "run/iteration_marks.h"
#include "run/run.h"

#include <cstdint>

namespace twinrun {

/// The code of one process: what its addresses mean in a space, which has been told of the process.
/// Two runs that are compared have a model each. `marks`, if any, must outlive it; indices are then
/// numbered as they say.
class CodeModel {
 public:
  CodeModel(CodeSpace& space, RunProcess& process, const ProcessMarks* marks = nullptr)
      : space_(&space), process_(&process), marks_(marks) {}

  [[nodiscard]] const CodeSpace& space() const { return *space_; }
  [[nodiscard]] RunProcess& process() const { return *process_; }
  /// Null: times round loops have the numbers that the run counts.
  [[nodiscard]] const ProcessMarks* marks() const { return marks_; }
  [[nodiscard]] const CodeSpace::Node& node(CodeNode number) const { return space_->node(number); }

  /// See CodeSpace::at().
  CodeNode at(Addr address, uint64_t blocks, const BlockDef& def) {
    return space_->at(*process_, address, blocks, def);
  }
  /// An address in memory as the space's nodes have it.
  [[nodiscard]] ModuleAddr address_in_module(Addr address, uint64_t blocks) const {
    return process_->module_address(address, blocks).address;
  }
  uint32_t canonical(CodeNode node, ModuleAddr address, ByteSpan bytes, uint32_t variant) {
    return space_->canonical(node, address, bytes, variant);
  }

 private:
  CodeSpace* space_;
  RunProcess* process_;
  const ProcessMarks* marks_;
};

}  // namespace twinrun
