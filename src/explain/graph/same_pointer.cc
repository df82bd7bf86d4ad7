// SPDX-License-Identifier: MIT
// Two runs keep the same things at different addresses, and different things at the same one.
//
// So a pointer is taken for what it leads to: a region of memory, and an offset there. Regions
// correspond by how they came to be, as memory indexing has it, but only for what a pair of moments
// needs: no index is built. A block of the heap is its allocation, a mapping its system call, an
// array of variable length on the stack the instruction that made room for it, and those correspond
// when their steps are aligned. Frames need no names: at moments that correspond both stacks have
// the same frames, so that distances from the stack pointers tell, if arrays of the sizes that
// each run chose are left out.
//
// Equal numbers are no exception. An allocator gives a freed block's place to the next one, and a
// pointer to the old one then leads to another thing. When the block that one run's pointer means
// was freed in the other run, which still has a pointer to where it was, nothing is wrong with how
// the pointer came about: compare() tells that (Ended), so that the search goes to the free. Where
// another block is there by now, the number alone does not say which of them is meant: the pointer
// is followed back, and when it was the same at an earlier moment, the old one was.
//
// What none of that says anything about, such as addresses inside of an allocator's own lists,
// counts as the same when the numbers are. Costs two searches in the logs.
#include "explain/graph/same_pointer.h"

#include "explain/graph/both_sides.h"

namespace twinrun {
namespace {

// Numbers below are no addresses of programs.
constexpr uint64_t kLowest = 0x10000;
// What is further above the stack pointer is not on its stack, as far as pointers go.
constexpr uint64_t kStackMost = 8 << 20;
constexpr uint64_t kRedZone = 128;
// A block that ends in a return has left its frame, which it has used.
constexpr uint64_t kLeftMost = 1 << 16;

bool has_left(uint64_t pointer, uint64_t sp) { return pointer < sp && sp - pointer <= kLeftMost; }

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
  if (options_.allocators.empty()) {
    TRY(made->memory, memory_history(view->of));
  } else {
    TRY(MemoryHistory own,
        MemoryHistory::build(view->of, {.more = options_.allocators, .progress = {}}));
    made->own = std::make_unique<MemoryHistory>(std::move(own));
    made->memory = made->own.get();
  }
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
  return &regions(side, process).memory->blocks;
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

bool PointerMatcher::is_same_on_stack(const At& at_a, uint64_t a, const At& at_b, uint64_t b,
                                      uint64_t ago) const {
  const auto place_of = [&](RunSide side, const At& at, uint64_t pointer) {
    return regions(side, at.process)
        .memory->areas.place(at.thread, at.block - std::min(at.block, ago), at.sp, pointer);
  };
  const StackAreas::Place place_a = place_of(RunSide::kA, at_a, a);
  const StackAreas::Place place_b = place_of(RunSide::kB, at_b, b);
  if (place_a.offset != place_b.offset) return false;
  if (place_a.area == nullptr || place_b.area == nullptr) return place_a.area == place_b.area;
  const Position made_a{{at_a.process}, place_a.area->thread, place_a.area->step};
  const Position made_b{{at_b.process}, place_b.area->thread, place_b.area->step};
  if (runs_.is_before_anchor(RunSide::kA, made_a) && runs_.is_before_anchor(RunSide::kB, made_b))
    return place_a.area->site == place_b.area->site;
  return runs_.is_aligned(made_a, made_b);
}

bool PointerMatcher::is_same_block(const At& at_a, const Allocation* block_a, uint64_t a,
                                   const At& at_b, const Allocation* block_b, uint64_t b) const {
  return block_a != nullptr && block_b != nullptr && a - block_a->address == b - block_b->address &&
         runs_.is_aligned({{at_a.process}, block_a->thread, block_a->step},
                          {{at_b.process}, block_b->thread, block_b->step});
}

PointerMatcher::Compared PointerMatcher::compare_to_counterpart(
    RunSide side, const At& at, const Allocation& block, uint64_t pointer, const At& other_at,
    uint64_t other_pointer, bool other_has_block) const {
  const auto there = runs_.counterpart(side, {{at.process}, block.thread, block.step});
  if (!there || there->process.value != other_at.process) return {};
  const AllocationLog& log = regions(other(side), other_at.process).memory->blocks;
  const Allocation* const meant = log.born(there->thread, there->step);
  if (meant == nullptr || other_pointer - meant->address != pointer - block.address ||
      meant->block > other_at.block)
    return {};
  // realloc may have left it where it was.
  const Allocation& now = log.grown(*meant, other_at.block);
  if (now.lives_at(other_at.block)) return {.is_same = !other_has_block || &now != meant};
  return {.is_same = !other_has_block, .ended = Ended{other(side), other_at.process, meant}};
}

Result<PointerMatcher::Compared> PointerMatcher::compare_blocks(const At& at_a, uint64_t a,
                                                                const At& at_b, uint64_t b,
                                                                std::optional<bool> in_file) {
  TRY_VOID(build_regions(at_a.process, at_b.process));
  const Regions& of_a = regions(RunSide::kA, at_a.process);
  const Regions& of_b = regions(RunSide::kB, at_b.process);
  const Allocation* block_a = of_a.memory->blocks.containing(a, at_a.block);
  const Allocation* block_b = of_b.memory->blocks.containing(b, at_b.block);
  // Nothing is known to correspond there.
  const auto is_given = [&](RunSide side, const At& at, const Allocation* block) {
    return block != nullptr &&
           runs_.is_before_anchor(side, {{at.process}, block->thread, block->step});
  };
  if (a == b && (is_given(RunSide::kA, at_a, block_a) || is_given(RunSide::kB, at_b, block_b)))
    return Compared{.is_same = true};
  if (block_a != nullptr || block_b != nullptr) {
    if (is_same_block(at_a, block_a, a, at_b, block_b, b)) return Compared{.is_same = true};
    if (block_a != nullptr) {
      const Compared out =
          compare_to_counterpart(RunSide::kA, at_a, *block_a, a, at_b, b, block_b != nullptr);
      if (out.is_same || out.ended) return out;
    }
    if (block_b != nullptr)
      return compare_to_counterpart(RunSide::kB, at_b, *block_b, b, at_a, a, block_a != nullptr);
    return Compared{};
  }
  if (a == b && in_file.value_or(true)) return Compared{.is_same = true};
  if (has_left(a, at_a.sp) && has_left(b, at_b.sp) && is_same_on_stack(at_a, a, at_b, b, 1))
    return Compared{.is_same = true};
  return Compared{.is_same =
                      is_same_block(at_a, of_a.memory->mappings.containing(a, at_a.block), a, at_b,
                                    of_b.memory->mappings.containing(b, at_b.block), b)};
}

Result<PointerMatcher::Compared> PointerMatcher::compare(const At& at_a, uint64_t a, const At& at_b,
                                                         uint64_t b) {
  if (!options_.normalizes || a < kLowest || b < kLowest) return Compared{.is_same = a == b};
  if (is_on_stack(a, at_a.sp) && is_on_stack(b, at_b.sp)) {
    TRY_VOID(build_regions(at_a.process, at_b.process));
    if (is_same_on_stack(at_a, a, at_b, b, 0)) return Compared{.is_same = true};
    TRY(const bool is_same, is_same_start(at_a, a, at_b, b));
    return Compared{.is_same = is_same};
  }
  TRY(const auto in_file, is_same_in_file(at_a, a, at_b, b));
  if (in_file.value_or(false)) return Compared{.is_same = true};
  // What is not the same in its file can be the same block of an allocator that the program has.
  return compare_blocks(at_a, a, at_b, b, in_file);
}

Result<bool> PointerMatcher::is_same(const At& at_a, uint64_t a, const At& at_b, uint64_t b) {
  if (a == b && (runs_.identity().is_one_build() || !options_.normalizes)) return true;
  TRY(const Compared compared, compare(at_a, a, at_b, b));
  return compared.is_same && !compared.ended;
}

}  // namespace twinrun
