// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "values/process_view.h"

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>

namespace twinrun {

/// The memory of a process as it was at a moment, read on demand: a byte is what the last access
/// before the moment stored or loaded there, what the kernel wrote, or what was mapped. Each byte
/// is looked for once.
class PastMemory {
 public:
  PastMemory(ProcessView& view, Moment at) : view_(view), at_(at) {}

  /// False when a byte is not known: it was changed unseen, or comes from a file that is gone.
  [[nodiscard]] bool read(uint64_t address, std::span<uint8_t> out);

  /// The program has gone on: these bytes are there now.
  void write(uint64_t address, ByteSpan bytes);
  /// The program has gone on: these bytes have changed to nobody knows what.
  void forget(uint64_t address, uint64_t length);

 private:
  static constexpr uint64_t kLineSize = 64;
  struct Line {
    std::array<uint8_t, kLineSize> bytes{};
    uint64_t asked = 0;  // bit by byte: looked for already
    uint64_t known = 0;
  };
  Line& line_of(uint64_t address) { return lines_[address / kLineSize]; }
  void look_for(uint64_t address, uint32_t size);
  /// What a writer left in [address, address + out.size()); false when that is not known.
  Result<bool> written(const LastWriter& writer, uint64_t address, std::span<uint8_t> out);
  Result<bool> from_event(const LastWriter& writer, uint64_t address, std::span<uint8_t> out);
  Result<bool> from_mapping(const LastWriter& writer, uint64_t address, std::span<uint8_t> out);
  Result<bool> from_parent(uint64_t address, std::span<uint8_t> out);

  ProcessView& view_;
  Moment at_;
  std::unordered_map<uint64_t, Line> lines_;
  std::vector<std::pair<uint64_t, uint64_t>> gone_;  // forgotten since: address, length
  std::unique_ptr<PastMemory> parent_;
};

}  // namespace twinrun
