// SPDX-License-Identifier: MIT
#include "match/binary_pair.h"

#include <future>

namespace twinrun {

Result<std::unique_ptr<BinaryPair>> BinaryPair::open(const std::string& old_path,
                                                     const std::string& new_path,
                                                     const ModuleCode::Options& options) {
  std::unique_ptr<BinaryPair> out(new BinaryPair);
  const auto load = [&](size_t side, const std::string& path) -> Result<void> {
    TRY(out->codes_[side], ModuleCode::open(path, options));
    out->shapes_[side] = BinaryShape::make(out->codes_[side]);
    return {};
  };
  auto other = std::async(std::launch::async, [&] { return load(1, new_path); });
  const auto first = load(0, old_path);
  const auto second = other.get();
  TRY_VOID(first);
  TRY_VOID(second);
  return out;
}

}  // namespace twinrun
