// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "match/binary_shape.h"
#include "program/module_code.h"

#include <array>
#include <memory>
#include <string>

namespace twinrun {

/// Two binaries, ready to be matched.
class BinaryPair {
 public:
  /// Both are read at the same time. P001 and P002 as ModuleCode::open.
  static Result<std::unique_ptr<BinaryPair>> open(const std::string& old_path,
                                                  const std::string& new_path,
                                                  const ModuleCode::Options& options);
  BinaryPair(const BinaryPair&) = delete;
  BinaryPair& operator=(const BinaryPair&) = delete;

  [[nodiscard]] const BinaryShape& old_shape() const { return shapes_[0]; }
  [[nodiscard]] const BinaryShape& new_shape() const { return shapes_[1]; }

 private:
  BinaryPair() = default;

  std::array<ModuleCode, 2> codes_;
  std::array<BinaryShape, 2> shapes_;
};

}  // namespace twinrun
