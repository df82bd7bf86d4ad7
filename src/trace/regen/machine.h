// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "format/trace_format.h"
#include "trace/regen/op.h"

#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace twinrun {

/// Where things are in the arena.
inline constexpr uint32_t kStateOffset = 0;  // the register file
inline constexpr uint32_t kTempsOffset = 1024;
inline constexpr uint32_t kTempsSize = 256 << 10;
inline constexpr uint32_t kConstantsOffset = kTempsOffset + kTempsSize;

/// Something that the recording and the computation do not agree on.
struct Contradiction {
  enum class Kind : uint8_t { kNone, kNextBlock, kRegister, kExit, kMissingValues, kUnusedValues };
  Kind kind = Kind::kNone;
  uint32_t offset = 0;  // kRegister: in the register file
  uint64_t computed = 0;
  uint64_t recorded = 0;
};

struct ArenaDelete {
  void operator()(uint8_t* arena) const;
};

/// What native code sees of a machine.
struct MachineCore {
  uint8_t* arena = nullptr;
  uint8_t* predictor = nullptr;
  uint32_t miss_in_block = ~0u;  // number of the load that missed next, beyond all when another's
};

/// Registers, predictor and streams of one chunk under regeneration. Compiled blocks (code.h) run
/// on it; regenerate.h feeds it.
class Machine {
 public:
  /// `constants` is shared by all compiled blocks of a process and may grow between blocks.
  explicit Machine(uint32_t state_size);

  [[nodiscard]] uint8_t* at(uint32_t offset) { return core_.arena + offset; }
  [[nodiscard]] uint64_t& word(uint32_t offset) {
    return *reinterpret_cast<uint64_t*>(core_.arena + offset);
  }
  [[nodiscard]] MachineCore* core() { return &core_; }
  [[nodiscard]] uint8_t* state() { return at(kStateOffset); }
  [[nodiscard]] uint32_t state_size() const { return state_size_; }

  /// Puts constants that are not in the arena yet there.
  void take_constants(const std::vector<uint64_t>& constants);

  // The current segment's streams.
  void set_streams(ByteSpan miss_positions, ByteSpan miss_values, ByteSpan opaque);
  /// How far the streams have been read.
  struct StreamsAt {
    size_t miss = 0;
    size_t miss_value = 0;
    uint64_t opaque = 0;
    uint32_t next_miss = ~0u;
  };
  [[nodiscard]] StreamsAt streams_at() const {
    return {miss_at_, miss_value_at_, opaque_at_, next_miss_};
  }
  void set_streams_at(const StreamsAt& at) {
    miss_at_ = at.miss;
    miss_value_at_ = at.miss_value;
    opaque_at_ = at.opaque;
    next_miss_ = at.next_miss;
  }
  void clear_predictor() { std::memset(core_.predictor, 0, TW_PREDICTOR_SIZE + 32); }
  void predictor_write(uint64_t address, ByteSpan bytes);
  [[nodiscard]] ByteSpan predictor() const { return {core_.predictor, TW_PREDICTOR_SIZE + 32}; }
  void set_predictor(ByteSpan bytes) { std::memcpy(core_.predictor, bytes.data(), bytes.size()); }
  /// The next block is number `ordinal` of the segment. A miss of an earlier block that nobody took
  /// means that the computation went another way than the recording.
  void begin_block(uint32_t ordinal) {
    ordinal_ = ordinal << TW_MISS_LOAD_BITS;
    core_.miss_in_block = next_miss_ - ordinal_;
    if (__builtin_expect(next_miss_ < ordinal_, 0))
      contradict({.kind = Contradiction::Kind::kUnusedValues});
  }
  /// A miss that the block cannot take any more, of a load of `size` bytes: after a partial block.
  [[nodiscard]] bool has_stale_miss() const {
    return next_miss_ < ordinal_ + (1u << TW_MISS_LOAD_BITS);
  }
  [[nodiscard]] uint32_t stale_miss_load() const {
    return next_miss_ & ((1u << TW_MISS_LOAD_BITS) - 1);
  }
  void drop_miss(uint32_t size) { advance_miss(size); }
  /// Continues in the opaque stream at `position`, which comes from a file.
  void set_opaque_position(uint64_t position) {
    if (position > opaque_.size()) return ran_out();
    opaque_at_ = position;
  }
  [[nodiscard]] uint64_t opaque_position() const { return opaque_at_; }
  [[nodiscard]] bool opaque_used_up() const { return opaque_at_ == opaque_.size(); }

  // Used by compiled code.
  template <unsigned Size>
  void load(uint32_t dst, uint64_t address, uint32_t number) {
    const uint8_t* predicted = core_.predictor + (address & (TW_PREDICTOR_SIZE - 1));
    if (__builtin_expect(core_.miss_in_block == number, 0)) take_miss_at(address, Size);
    if constexpr (Size < 8) word(dst) = 0;
    std::memcpy(at(dst), predicted, Size);
  }
  template <unsigned Size>
  void store(uint64_t address, const uint8_t* value) {
    std::memcpy(core_.predictor + (address & (TW_PREDICTOR_SIZE - 1)), value, Size);
  }
  /// The next recorded load value becomes what the predictor says of the address.
  void take_miss_at(uint64_t address, uint32_t size);
  void take_opaque(uint8_t* to, uint32_t size) {
    if (opaque_.size() - opaque_at_ < size) return ran_out();
    std::memcpy(to, opaque_.data() + opaque_at_, size);
    opaque_at_ += size;
  }
  void ran_out() {
    if (contradiction_.kind == Contradiction::Kind::kNone)
      contradiction_.kind = Contradiction::Kind::kMissingValues;
  }
  void contradict(Contradiction what) {
    if (contradiction_.kind == Contradiction::Kind::kNone) contradiction_ = what;
  }
  [[nodiscard]] const Contradiction& contradiction() const { return contradiction_; }
  void forget_contradiction() { contradiction_ = {}; }

 private:
  void advance_miss(uint32_t size);

  MachineCore core_;
  uint32_t state_size_;
  std::unique_ptr<uint8_t[], ArenaDelete> arena_;
  std::unique_ptr<uint8_t[]> predictor_;
  size_t constants_taken_ = 0;
  ByteSpan miss_positions_;
  ByteSpan miss_values_;
  ByteSpan opaque_;
  size_t miss_at_ = 0;  // in positions, bytes
  size_t miss_value_at_ = 0;
  uint64_t opaque_at_ = 0;
  uint32_t ordinal_ = 0;
  uint32_t next_miss_ = ~0u;  // position of the next miss
  Contradiction contradiction_;
};

}  // namespace twinrun
