// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/code_model.h"
#include "run/symbols.h"
#include "trace/maps.h"
#include "trace/reader.h"

#include <cstdint>
#include <memory>

namespace twinrun {

/// One process, opened.
struct ProcessCode {
  Dictionary dictionary;
  MapHistory maps;
  RunCode code;
  MappedFile program;  // the file that it executes; without a path: not known

  /// T008 when there is no such process.
  static Result<std::unique_ptr<ProcessCode>> open(const Reader& reader, Binaries& binaries,
                                                   uint32_t number);
};

}  // namespace twinrun
