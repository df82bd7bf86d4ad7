// SPDX-License-Identifier: MIT
#pragma once

#include "report/style.h"

#include <string>
#include <vector>

namespace twinrun {

enum class Health { kOk, kWarn, kFail };

/// One thing that `twinrun doctor` looked at.
struct Finding {
  std::string name;  // "valgrind"
  Health health = Health::kOk;
  std::string detail;  // what was found
  std::string fix;     // what the user can do; empty when ok
};

struct Diagnosis {
  std::vector<Finding> findings;

  [[nodiscard]] size_t count(Health health) const;
};

std::string diagnosis_text(const Diagnosis& diagnosis, const Style& style);
std::string diagnosis_json(const Diagnosis& diagnosis);

}  // namespace twinrun
