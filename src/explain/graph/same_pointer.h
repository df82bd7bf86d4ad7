// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "memory/allocations.h"
#include "memory/memory_history.h"
#include "memory/stack_areas.h"
#include "trace/initial_stack.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace twinrun {

/// Whether an address belongs to the stack whose pointer is `sp`, as far as can be told from that.
bool is_on_stack(uint64_t pointer, uint64_t sp);

/// Address normalization of differential slicing: whether two pointers of two runs mean the same.
/// They do when they point to the same offset in blocks of the heap, or in mappings, whose
/// allocations are one another's counterparts, or to the same place of stacks, whatever the sizes
/// of arrays there are (StackAreas), or in the same argument or variable that the program was
/// started with, or to the same code or data of a file (CodeIdentity). Equal numbers that none of
/// that says anything about are the same; those of blocks that are no counterparts are not.
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
    ThreadNo thread;
    uint64_t block = 0;  // of the process that had begun
    uint64_t sp = 0;     // of the thread
  };
  /// A block that both pointers meant, and that one of the runs has freed since.
  struct Ended {
    RunSide side = RunSide::kA;
    uint32_t process = 0;
    const Allocation* block = nullptr;  // of that run
  };
  struct Compared {
    bool is_same = false;
    /// Of those that are not the same: another block is there now, so that it is not known which of
    /// the two the pointer means.
    std::optional<Ended> ended;
  };
  /// Of operands of instructions that correspond. Numbers that are no pointers are not the same
  /// unless they are equal.
  Result<Compared> compare(const At& at_a, uint64_t a, const At& at_b, uint64_t b);
  /// The same of moments that need not correspond: equal numbers are the same.
  Result<bool> is_same(const At& at_a, uint64_t a, const At& at_b, uint64_t b);
  /// Of a process of one of the runs; lives as long as this does.
  Result<const AllocationLog*> allocations(RunSide side, uint32_t process);

 private:
  /// Nothing when at least one of them points into no file.
  [[nodiscard]] Result<std::optional<bool>> is_same_in_file(const At& at_a, uint64_t a,
                                                            const At& at_b, uint64_t b) const;
  /// What a process has allocated, from its allocators and from the kernel, and was given.
  struct Regions {
    std::unique_ptr<MemoryHistory> own;  // by rules that the user added to
    const MemoryHistory* memory = nullptr;
    InitialStack start;
  };
  Result<void> build_region(RunSide side, uint32_t process);
  /// Both runs': they are walked at the same time.
  Result<void> build_regions(uint32_t process_a, uint32_t process_b);
  [[nodiscard]] const Regions& regions(RunSide side, uint32_t process) const {
    return *regions_[static_cast<size_t>(side)].at(process);
  }
  /// Both in an argument or a variable of the environment, and in the same one.
  Result<bool> is_same_start(const At& at_a, uint64_t a, const At& at_b, uint64_t b);
  /// At the same place of the frames that both have. `ago`: as it was so many blocks before.
  [[nodiscard]] bool is_same_on_stack(const At& at_a, uint64_t a, const At& at_b, uint64_t b,
                                      uint64_t ago) const;
  [[nodiscard]] bool is_same_block(const At& at_a, const Allocation* block_a, uint64_t a,
                                   const At& at_b, const Allocation* block_b, uint64_t b) const;
  /// Of pointers whose blocks are not the same. `side`: of the run whose block is live.
  [[nodiscard]] Compared compare_to_counterpart(RunSide side, const At& at, const Allocation& block,
                                                uint64_t pointer, const At& other_at,
                                                uint64_t other_pointer, bool other_has_block) const;
  /// Of pointers that do not lead to the same of a file. `in_file`: nothing when to no file at all.
  Result<Compared> compare_blocks(const At& at_a, uint64_t a, const At& at_b, uint64_t b,
                                  std::optional<bool> in_file);

  RunPair& runs_;
  Options options_;
  std::array<std::map<uint32_t, std::unique_ptr<Regions>>, 2> regions_;
};

}  // namespace twinrun
