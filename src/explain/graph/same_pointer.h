// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "memory/allocations.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>

namespace twinrun {

/// Whether an address belongs to the stack whose pointer is `sp`, as far as can be told from that.
bool is_on_stack(uint64_t pointer, uint64_t sp);

/// Address normalization of differential slicing: whether two pointers of two runs mean the same.
/// They do when they point to the same offset in blocks of the heap whose allocations are one
/// another's counterparts, or in frames of the stack at the same distance from the stack pointers
/// of moments that are, or to the same code or data of a file (CodeIdentity), or when they are
/// equal.
class PointerMatcher {
 public:
  struct Options {
    bool normalizes = true;  // else only equal ones are the same
    std::vector<AllocatorRule> allocators;
  };
  PointerMatcher(RunPair& runs, Options options) : runs_(runs), options_(std::move(options)) {}

  /// A moment of a run.
  struct At {
    uint32_t process = 0;
    uint64_t block = 0;  // of the process that had begun
    uint64_t sp = 0;     // of the thread
  };
  /// Numbers that are no pointers are not the same unless they are equal.
  Result<bool> is_same(const At& at_a, uint64_t a, const At& at_b, uint64_t b);

 private:
  /// Nothing when at least one of them points into no file.
  [[nodiscard]] Result<std::optional<bool>> is_same_in_file(const At& at_a, uint64_t a,
                                                            const At& at_b, uint64_t b) const;
  /// Both runs': they are walked at the same time.
  Result<void> build_logs(uint32_t process_a, uint32_t process_b);
  [[nodiscard]] const AllocationLog& log(RunSide side, uint32_t process) const {
    return logs_[static_cast<size_t>(side)].at(process);
  }

  RunPair& runs_;
  Options options_;
  std::array<std::map<uint32_t, AllocationLog>, 2> logs_;
};

}  // namespace twinrun
