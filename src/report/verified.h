// SPDX-License-Identifier: MIT
#pragma once

#include "report/style.h"
#include "trace/verify.h"

#include <string>

namespace twinrun {

/// What `twinrun verify` says of one recording.
struct Verified {
  std::string path;
  bool is_prefix = false;
  std::string prefix_note;
  uint64_t lost_bytes = 0;
  VerifyReport report;
};

std::string verified_text(const Verified& verified, const Style& style);
std::string verified_json(const Verified& verified);

}  // namespace twinrun
