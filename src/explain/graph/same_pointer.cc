// SPDX-License-Identifier: MIT
#include "explain/graph/same_pointer.h"

#include "explain/graph/both_sides.h"

namespace twinrun {
namespace {

// Numbers below are no addresses of programs.
constexpr uint64_t kLowest = 0x10000;
// What is further above the stack pointer is not on its stack, as far as pointers go.
constexpr uint64_t kStackMost = 8 << 20;
constexpr uint64_t kRedZone = 128;

}  // namespace

bool is_on_stack(uint64_t pointer, uint64_t sp) {
  return pointer + kRedZone >= sp && pointer < sp + kStackMost;
}

Result<void> PointerMatcher::build_logs(uint32_t process_a, uint32_t process_b) {
  const auto build = [&](RunSide side, uint32_t process) -> Result<void> {
    auto& logs = logs_[static_cast<size_t>(side)];
    if (logs.contains(process)) return {};
    Run& run = runs_.run(side);
    TRY(ProcessView* const view, view_of(run, process));
    TRY(AllocationLog made, AllocationLog::build(view->of, {.more = options_.allocators,
                                                            .progress = {},
                                                            .surveyed = view->values.get()}));
    logs.emplace(process, std::move(made));
    return {};
  };
  return both_sides([&] { return build(RunSide::kA, process_a); },
                    [&] { return build(RunSide::kB, process_b); });
}

Result<std::optional<bool>> PointerMatcher::is_same_in_file(const At& at_a, uint64_t a,
                                                            const At& at_b, uint64_t b) const {
  TRY(const RunProcess* const process_a, runs_.a().process(at_a.process));
  TRY(const RunProcess* const process_b, runs_.b().process(at_b.process));
  return runs_.identity().is_same(process_a->module_address({a}, at_a.block),
                                  process_b->module_address({b}, at_b.block));
}

Result<bool> PointerMatcher::is_same(const At& at_a, uint64_t a, const At& at_b, uint64_t b) {
  if (a == b && runs_.identity().is_one_build()) return true;
  if (!options_.normalizes || a < kLowest || b < kLowest) return a == b;
  if (is_on_stack(a, at_a.sp) && is_on_stack(b, at_b.sp)) return a - at_a.sp == b - at_b.sp;
  TRY(const auto in_file, is_same_in_file(at_a, a, at_b, b));
  if (in_file.value_or(a == b)) return true;
  // What is not the same in its file can be the same block of an allocator that the program has.
  TRY_VOID(build_logs(at_a.process, at_b.process));
  const Allocation* block_a = log(RunSide::kA, at_a.process).containing(a, at_a.block);
  if (block_a == nullptr) return false;
  const Allocation* block_b = log(RunSide::kB, at_b.process).containing(b, at_b.block);
  if (block_b == nullptr || a - block_a->address != b - block_b->address) return false;
  return runs_.is_aligned({{at_a.process}, block_a->thread, block_a->step},
                          {{at_b.process}, block_b->thread, block_b->step});
}

}  // namespace twinrun
