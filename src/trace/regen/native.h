// SPDX-License-Identifier: MIT
#pragma once

#include "trace/regen/code.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace twinrun {

/// Translates compiled blocks to machine code. Each step becomes a few instructions on the arena or
/// a call of the step; nothing stays in registers from one block to the next, so that interpreted
/// and native blocks mix freely.
class NativeCompiler {
 public:
  NativeCompiler();
  ~NativeCompiler();
  NativeCompiler(const NativeCompiler&) = delete;
  NativeCompiler& operator=(const NativeCompiler&) = delete;

  /// Null when the system gives no executable memory. `constants` is the pool that the block was
  /// compiled with.
  NativeBlock compile(const CompiledBlock& block, uint32_t variant,
                      const std::vector<uint64_t>& constants);

 private:
  struct Region;
  std::vector<std::unique_ptr<Region>> regions_;
  bool refused_ = false;
};

}  // namespace twinrun
