// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "profile/address_profile.h"
#include "profile/code_counts.h"
#include "program/module_code.h"

#include <cstdint>

namespace twinrun {

/// How well a profile fits the code that it is said to be of, in counts of the profile.
struct ProfileFit {
  uint64_t weight = 0;  // all counts that are about the binary
  /// Of those: at no instruction of its code, or of a branch that the instruction there cannot
  /// take.
  uint64_t misfit = 0;
  uint64_t unplaced = 0;            // to a place that the control flow graph does not know of
  uint64_t disagreeing_blocks = 0;  // whose instructions were not executed equally often

  [[nodiscard]] double misfit_share() const {
    return weight == 0 ? 0 : static_cast<double>(misfit) / static_cast<double>(weight);
  }
};

struct CountedCode {
  CodeCounts counts;
  ProfileFit fit;
};

/// The profile on the control flow graphs of the binary. What does not fit is counted and left out.
CountedCode count_code(const ModuleCode& binary, const AddressProfile& profile);

/// F004 when the profile is of another binary: it says so itself, or more of it than measurement
/// explains does not fit the code. F005 when nothing of it is about the binary.
Result<void> check_fit(const ModuleCode& binary, const AddressProfile& profile,
                       const ProfileFit& fit);

}  // namespace twinrun
