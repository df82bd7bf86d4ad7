// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <string>

namespace twinrun {

struct Program {
  std::string path;
  bool is_script = false;
};

/// The file that execvp(3) would run for `name`, checked to be one that can be recorded: a 64-bit
/// x86-64 ELF program without a sanitizer's shadow memory, or a script.
Result<Program> find_program(const std::string& name);

}  // namespace twinrun
