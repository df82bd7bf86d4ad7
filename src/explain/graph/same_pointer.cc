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

Result<void> PointerMatcher::build_region(RunSide side, uint32_t process) {
  auto& known = regions_[static_cast<size_t>(side)];
  if (known.contains(process)) return {};
  Run& run = runs_.run(side);
  TRY(ProcessView* const view, view_of(run, process));
  auto made = std::make_unique<Regions>();
  TRY(made->blocks, AllocationLog::build(view->of, {.more = options_.allocators,
                                                    .progress = {},
                                                    .surveyed = view->values.get(),
                                                    .mapped = &made->mappings}));
  TRY(made->start, initial_stack(run.reader(), process));
  known.emplace(process, std::move(made));
  return {};
}

Result<void> PointerMatcher::build_regions(uint32_t process_a, uint32_t process_b) {
  // Asked for every pair of pointers: a thread for each of them would cost more than all else.
  if (regions_[0].contains(process_a) && regions_[1].contains(process_b)) return {};
  return both_sides([&] { return build_region(RunSide::kA, process_a); },
                    [&] { return build_region(RunSide::kB, process_b); });
}

Result<const AllocationLog*> PointerMatcher::allocations(RunSide side, uint32_t process) {
  TRY_VOID(build_region(side, process));
  return &regions(side, process).blocks;
}

Result<std::optional<bool>> PointerMatcher::is_same_in_file(const At& at_a, uint64_t a,
                                                            const At& at_b, uint64_t b) const {
  TRY(const RunProcess* const process_a, runs_.a().process(at_a.process));
  TRY(const RunProcess* const process_b, runs_.b().process(at_b.process));
  return runs_.identity().is_same(process_a->module_address({a}, at_a.block),
                                  process_b->module_address({b}, at_b.block));
}

Result<bool> PointerMatcher::is_same_start(const At& at_a, uint64_t a, const At& at_b, uint64_t b) {
  TRY_VOID(build_regions(at_a.process, at_b.process));
  const InitialString* text_a = regions(RunSide::kA, at_a.process).start.string_at(a);
  const InitialString* text_b = regions(RunSide::kB, at_b.process).start.string_at(b);
  return text_a != nullptr && text_b != nullptr && text_a->name == text_b->name &&
         a - text_a->address == b - text_b->address;
}

bool PointerMatcher::is_same_block(const At& at_a, const Allocation* block_a, uint64_t a,
                                   const At& at_b, const Allocation* block_b, uint64_t b) const {
  return block_a != nullptr && block_b != nullptr && a - block_a->address == b - block_b->address &&
         runs_.is_aligned({{at_a.process}, block_a->thread, block_a->step},
                          {{at_b.process}, block_b->thread, block_b->step});
}

Result<bool> PointerMatcher::is_same(const At& at_a, uint64_t a, const At& at_b, uint64_t b) {
  if (a == b && runs_.identity().is_one_build()) return true;
  if (!options_.normalizes || a < kLowest || b < kLowest) return a == b;
  if (is_on_stack(a, at_a.sp) && is_on_stack(b, at_b.sp)) {
    if (a - at_a.sp == b - at_b.sp) return true;
    return is_same_start(at_a, a, at_b, b);
  }
  TRY(const auto in_file, is_same_in_file(at_a, a, at_b, b));
  if (in_file.value_or(a == b)) return true;
  // What is not the same in its file can be the same block of an allocator that the program has.
  TRY_VOID(build_regions(at_a.process, at_b.process));
  const Regions& of_a = regions(RunSide::kA, at_a.process);
  const Regions& of_b = regions(RunSide::kB, at_b.process);
  const Allocation* block_a = of_a.blocks.containing(a, at_a.block);
  const Allocation* block_b = of_b.blocks.containing(b, at_b.block);
  if (block_a != nullptr || block_b != nullptr)
    return is_same_block(at_a, block_a, a, at_b, block_b, b);
  return is_same_block(at_a, of_a.mappings.containing(a, at_a.block), a, at_b,
                       of_b.mappings.containing(b, at_b.block), b);
}

}  // namespace twinrun
