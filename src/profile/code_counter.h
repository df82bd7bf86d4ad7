// SPDX-License-Identifier: MIT
#pragma once

#include "profile/address_profile.h"
#include "profile/code_index.h"
#include "profile/count_code.h"

#include <cstdint>
#include <map>
#include <utility>

namespace twinrun {

/// What the ways to project a profile have in common: counts of functions come to be when something
/// is counted in them, and calls are added up. For the sources of this module.
class CodeCounter {
 public:
  CodeCounter(const ModuleCode& binary, const AddressProfile& profile)
      : binary_(binary), profile_(profile), index_(binary) {}

 protected:
  using Spot = CodeIndex::Spot;

  FunctionCounts& function(uint32_t function);
  void add_call(uint64_t site, uint64_t callee, uint64_t count);
  [[nodiscard]] bool is_function(uint64_t address) const {
    return binary_.flow().functions().at(address).has_value();
  }
  /// Stubs have no control flow graph.
  [[nodiscard]] bool is_in_stub(uint64_t address) const {
    const auto found = binary_.flow().functions().find(address);
    return found && binary_.flow().functions()[*found].is_stub;
  }
  void weigh(uint64_t count) { fit_.weight = add_counts(fit_.weight, count); }
  void misfit(uint64_t count) { fit_.misfit = add_counts(fit_.misfit, count); }
  void unplaced(uint64_t count) { fit_.unplaced = add_counts(fit_.unplaced, count); }
  /// Puts the parts together.
  [[nodiscard]] CountedCode finish();

  static Count measured(uint64_t value) {
    return {value, CountSource::kMeasured, Strength::kExact};
  }
  static Count inferred(uint64_t value) {
    return {value, CountSource::kInferred, Strength::kExact};
  }
  static uint64_t minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

  const ModuleCode& binary_;
  const AddressProfile& profile_;
  CodeIndex index_;
  ProfileFit fit_;
  std::map<uint32_t, FunctionCounts> functions_;

 private:
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> calls_;
};

/// For profiles that have every executed instruction.
CountedCode count_complete(const ModuleCode& binary, const AddressProfile& profile);
/// For profiles that have branches, or executed ranges, or samples only.
CountedCode count_sampled(const ModuleCode& binary, const AddressProfile& profile);

}  // namespace twinrun
