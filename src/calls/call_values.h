// SPDX-License-Identifier: MIT
#pragma once

#include "calls/call_walk.h"
#include "run/code_places.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

struct NamedValue {
  std::string name;   // empty: it has none
  std::string value;  // as the source language writes it; "<why>" when it is not available
};

/// What calls were given and gave back, by debug information.
class CallValues {
 public:
  explicit CallValues(Binaries& binaries) : binaries_(binaries) {}

  /// Nothing when the debug information does not know the function.
  std::optional<std::vector<NamedValue>> arguments(const PlacedFunction& function,
                                                   CallMoment moment);
  /// Empty for void, and when the type is not known.
  std::string result(const PlacedFunction& function, CallMoment moment);

 private:
  struct Known {
    DebugInfo* info = nullptr;
    std::optional<FunctionSignature> signature;
  };
  const Known& known(const PlacedFunction& function);

  Binaries& binaries_;
  std::map<std::pair<const MappedFile*, ModuleAddr>, Known> known_;
};

}  // namespace twinrun
