// SPDX-License-Identifier: MIT
#pragma once

#include "program/module_code.h"
#include "run/symbols.h"
#include "trace/block.h"
#include "trace/maps.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace twinrun {

/// Where the direct calls that a process executed went: functions that no symbol and no frame tells
/// of. By module, addresses as in the ELF file, ascending. Found when asked for.
class CalledAddresses {
 public:
  CalledAddresses(Binaries& binaries, const MapHistory& maps, const Dictionary& dictionary)
      : binaries_(binaries), maps_(maps), dictionary_(dictionary) {}

  using ByFile = std::map<const MappedFile*, std::vector<uint64_t>>;
  const ByFile& all();
  std::span<const uint64_t> of(const MappedFile& file);

 private:
  Binaries& binaries_;
  const MapHistory& maps_;
  const Dictionary& dictionary_;
  ByFile found_;
  bool is_found_ = false;
};

/// The control flow of a module with what runs did in it, for all that follows executions. Of the
/// edges, which are indirect jumps, those inside one function count: others are calls.
ControlFlow observed_flow(const ModuleCode& code, ObservedCode observed);

}  // namespace twinrun
