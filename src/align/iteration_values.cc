// SPDX-License-Identifier: MIT
#include "align/iteration_values.h"

#include "trace/regen/effects.h"
#include "trace/regen/regenerate.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace twinrun {
namespace {

constexpr uint64_t kMostStored = 6u << 20;  // values of all places
constexpr uint64_t kMostAccesses = 256;     // of a block; those behind are left out

/// Puts the accesses of blocks, in the order of execution, to the iterations that they are in.
class Slots {
 public:
  /// `starts`: the blocks of the process with which iterations begin, and the end.
  explicit Slots(std::vector<uint64_t> starts) : starts_(std::move(starts)) {}

  [[nodiscard]] uint64_t begin() const { return starts_.front(); }
  [[nodiscard]] uint64_t end() const { return starts_.back(); }
  [[nodiscard]] bool is_full() const { return stored_ > kMostStored; }
  SlotValues take() { return std::move(out_); }

  void add(Machine& machine, const Regenerator::Block& block, uint64_t place) {
    while (iteration_ + 2 < starts_.size() && block.number >= starts_[iteration_ + 1]) ++iteration_;
    uint64_t access = 0;
    for_each_access(machine, *block.executable->code, block.ops, [&](const DoneAccess& done) {
      if (access == kMostAccesses) return;
      uint64_t value = 0;
      std::memcpy(&value, done.value, std::min<size_t>(done.size(), sizeof value));
      std::vector<SlotValue>& slot = out_[place * kMostAccesses + access++];
      if (slot.empty() || slot.back().iteration != iteration_) {
        slot.push_back({iteration_, 0});
        ++stored_;
      }
      const uint64_t hash = ((slot.back().hash + 1) * 0x9e3779b97f4a7c15) ^ value;
      slot.back().hash = static_cast<uint32_t>(hash * 0xd6e8feb86659fd93 >> 32);
    });
  }

 private:
  std::vector<uint64_t> starts_;
  uint32_t iteration_ = 0;
  uint64_t stored_ = 0;
  SlotValues out_;
};

}  // namespace

Result<SlotValues> IterationValues::read(const LoopInstance& loop, uint32_t from, uint32_t to) {
  std::vector<uint64_t> starts;
  for (uint32_t i = from; i < to; ++i)
    starts.push_back(loops_.block_in_process(loop.begin + loop.iterations[i].start));
  const uint64_t end =
      to < loop.iterations.size() ? loop.begin + loop.iterations[to].start : loop.end;
  starts.push_back(loops_.block_in_process(end - 1) + 1);
  Slots slots(std::move(starts));
  if (slots.end() - slots.begin() > blocks_left_) return SlotValues();
  blocks_left_ -= slots.end() - slots.begin();

  const Reader& reader = process_.reader();
  const std::vector<uint32_t>& segments = process_.process().segments;
  const auto header = [&](size_t number) -> const TwSegmentHeader& {
    return reader.frames()[segments[number]].segment;
  };
  size_t first = 0;
  while (first + 1 < segments.size() && header(first + 1).first_block <= slots.begin()) ++first;
  size_t number = first;
  while (number > 0 && (header(number).flags & TW_SEGMENT_CHUNK_START) == 0) --number;
  const auto code =
      std::make_unique<CodeCache>(process_.dictionary(), process_.process().info.state_size);
  Regenerator regenerator(reader, process_.process(), *code);
  for (; number < first; ++number) {
    TRY_VOID(regenerator.segment(number));
  }
  for (; number < segments.size() && header(number).first_block < slots.end(); ++number) {
    TRY_VOID(regenerator.enter(number));
    for (;;) {
      TRY(const Regenerator::Item item, regenerator.next());
      if (item == Regenerator::Item::kEnd) break;
      if (item == Regenerator::Item::kEvent) continue;
      const Regenerator::Block& block = regenerator.block();
      if (block.number >= slots.end()) return slots.take();
      if (block.number < slots.begin() || block.thread != thread_.value) continue;
      TRY(const uint64_t place, number_(block.value, block.number));
      slots.add(regenerator.machine(), block, place);
      if (slots.is_full()) return SlotValues();
    }
  }
  return slots.take();
}

}  // namespace twinrun
