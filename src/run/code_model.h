// SPDX-License-Identifier: MIT
#pragma once

#include "run/code_space.h"
#include "run/run.h"

#include <cstdint>

namespace twinrun {

/// The code of one process: what its addresses mean in a space, which has been told of the process.
/// Two runs that are compared have a model each.
class CodeModel {
 public:
  CodeModel(CodeSpace& space, RunProcess& process) : space_(&space), process_(&process) {}

  [[nodiscard]] const CodeSpace& space() const { return *space_; }
  [[nodiscard]] RunProcess& process() const { return *process_; }
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
};

}  // namespace twinrun
