// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "program/control_flow.h"
#include "run/called_addresses.h"
#include "run/observed_jumps.h"
#include "run/run.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

/// Which branches decide whether code is executed: control dependence in the functions of the
/// modules of one process, from their code and the indirect jumps of the recording.
class ControlRelation {
 public:
  explicit ControlRelation(RunProcess& process)
      : process_(process), called_(process.binaries(), process.maps(), process.dictionary()) {}

  /// The addresses, in memory, of the branch instructions that the instruction at the address is
  /// control dependent on in its function; sorted. Empty when only the call of the function
  /// decides, and when the code of the function is not known.
  Result<const std::vector<uint64_t>*> branches(uint64_t address, uint64_t blocks);

 private:
  struct OfFunction {
    std::vector<std::vector<uint64_t>> branches;  // of each block of the cfg, as in the file
    std::vector<uint64_t> starts;                 // of the blocks
  };
  struct Module {
    std::optional<ControlFlow> flow;
    std::map<uint32_t, OfFunction> functions;
  };
  Result<Module*> module(const MappedFile& file);
  static OfFunction depend(const Cfg& cfg);

  RunProcess& process_;
  CalledAddresses called_;
  std::vector<ObservedJump> jumps_;
  bool has_jumps_ = false;
  std::map<std::string, Module> modules_;            // by module_key()
  std::map<uint64_t, std::vector<uint64_t>> known_;  // by address in memory
};

}  // namespace twinrun
