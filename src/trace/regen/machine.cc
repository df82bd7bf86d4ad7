// SPDX-License-Identifier: MIT
#include "trace/regen/machine.h"

#include "base/check.h"

#include <sys/mman.h>

namespace twinrun {
namespace {

/// Address space for constants; only what is used becomes memory.
constexpr size_t kArenaSize = size_t{1} << 30;

}  // namespace

void ArenaDelete::operator()(uint8_t* arena) const { munmap(arena, kArenaSize); }

Machine::Machine(uint32_t state_size)
    : state_size_(state_size), predictor_(new uint8_t[TW_PREDICTOR_SIZE + 32]()) {
  CHECK(state_size <= kTempsOffset) << state_size;
  void* mapped = mmap(nullptr, kArenaSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(mapped != MAP_FAILED);
  arena_.reset(static_cast<uint8_t*>(mapped));
  core_.arena = arena_.get();
  core_.predictor = predictor_.get();
}

void Machine::take_constants(const std::vector<uint64_t>& constants) {
  const size_t end = constants.size();
  if (end == constants_taken_) return;
  CHECK(kConstantsOffset + end * 8 <= kArenaSize) << end;
  std::memcpy(at(kConstantsOffset) + constants_taken_ * 8, constants.data() + constants_taken_,
              (end - constants_taken_) * 8);
  constants_taken_ = end;
}

void Machine::set_streams(ByteSpan miss_positions, ByteSpan miss_values, ByteSpan opaque) {
  miss_positions_ = miss_positions;
  miss_values_ = miss_values;
  opaque_ = opaque;
  miss_at_ = miss_value_at_ = 0;
  opaque_at_ = 0;
  next_miss_ = ~0u;
  if (miss_positions_.size() >= 4) std::memcpy(&next_miss_, miss_positions_.data(), 4);
}

void Machine::advance_miss(uint32_t size) {
  if (miss_values_.size() - miss_value_at_ < size) {
    ran_out();
    size = static_cast<uint32_t>(miss_values_.size() - miss_value_at_);
  }
  miss_value_at_ += size;
  miss_at_ += 4;
  next_miss_ = ~0u;
  if (miss_at_ + 4 <= miss_positions_.size())
    std::memcpy(&next_miss_, miss_positions_.data() + miss_at_, 4);
  core_.miss_in_block = next_miss_ - ordinal_;
}

void Machine::take_miss_at(uint64_t address, uint32_t size) {
  if (miss_values_.size() - miss_value_at_ < size) return ran_out();
  std::memcpy(core_.predictor + (address & (TW_PREDICTOR_SIZE - 1)),
              miss_values_.data() + miss_value_at_, size);
  advance_miss(size);
}

void Machine::predictor_write(uint64_t address, ByteSpan bytes) {
  if (bytes.size() > TW_PREDICTOR_SIZE) {
    address += bytes.size() - TW_PREDICTOR_SIZE;
    bytes = bytes.last(TW_PREDICTOR_SIZE);
  }
  const size_t start = address & (TW_PREDICTOR_SIZE - 1);
  const size_t first = std::min<size_t>(bytes.size(), TW_PREDICTOR_SIZE - start);
  std::memcpy(predictor_.get() + start, bytes.data(), first);
  std::memcpy(predictor_.get(), bytes.data() + first, bytes.size() - first);
}

}  // namespace twinrun
