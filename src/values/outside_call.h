// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/ids.h"
#include "values/process_view.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// The system call that bytes came from: what the kernel was given, and what it answered.
struct OutsideCall {
  struct Piece {
    Addr address;
    Bytes bytes;
  };
  uint64_t number = 0;
  std::array<uint64_t, 6> arguments{};
  std::vector<Piece> read;         // memory that the kernel was given to read
  std::optional<uint64_t> result;  // as the program sees it; nothing: it had not returned yet

  /// The text at an address that the kernel read, without the zero behind it; nothing for none.
  [[nodiscard]] std::optional<std::string> text_at(uint64_t address) const;
  /// Its first argument that is a path or a text; nothing for none.
  [[nodiscard]] std::optional<std::string> text() const;
};

/// Nothing when no call wrote the bytes, or when it had begun in an earlier segment.
Result<std::optional<OutsideCall>> outside_call(const ProcessView& view, const LastWriter& writer);

}  // namespace twinrun
