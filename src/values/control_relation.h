// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "program/control_flow.h"
#include "run/run.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace twinrun {

/// Which branches decide whether code is executed: control dependence in the functions of the
/// modules of one process, from their code and the indirect jumps of the recording.
class ControlRelation {
 public:
  explicit ControlRelation(RunProcess& process) : process_(process) {}

  /// The addresses, in memory, of the branch instructions that the instruction at the address is
  /// control dependent on in its function; sorted. Empty when only the call of the function
  /// decides, and when the code of the function is not known.
  Result<const std::vector<uint64_t>*> branches(uint64_t address, uint64_t blocks);

 private:
  /// Of each block of a function, addresses as in the file.
  using OfFunction = std::vector<std::vector<uint64_t>>;
  static OfFunction depend(const Cfg& cfg);

  RunProcess& process_;
  std::map<const Cfg*, OfFunction> functions_;
  std::map<uint64_t, std::vector<uint64_t>> known_;  // by address in memory
};

}  // namespace twinrun
