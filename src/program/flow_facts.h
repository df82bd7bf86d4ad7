// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "program/jump_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// What only the whole binary tells about its control flow, and costs most to find out. With it
/// each function can be explored alone, and comes out as it did among all others: which calls
/// return is known from the start, and no path to an indirect jump has to be searched for its
/// table, which is all that depended on the order of exploration.
struct FlowFacts {
  struct Link {
    uint32_t part = 0;
    uint32_t parent = 0;
    bool operator==(const Link&) const = default;
  };
  std::vector<Link> links;             // of the function table, beyond those by names; as made
  std::vector<bool> returns;           // by function
  std::vector<std::string> no_return;  // functions of other modules; sorted
  std::vector<KnownJump> jumps;        // by address

  bool operator==(const FlowFacts&) const = default;

  [[nodiscard]] Bytes encode() const;
  /// Nothing for what encode() does not write, or for another number of functions.
  static std::optional<FlowFacts> decode(ByteSpan bytes, uint32_t functions);
};

}  // namespace twinrun
