// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "paths/path_event.h"

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// A context-free grammar that generates one string: a whole program path (WPP) when that string is
/// a control flow trace. Rule 0 is the start rule; a rule uses only rules with greater numbers, so
/// that descending numbers are bottom-up order and no grammar can go round in circles.
class Grammar {
 public:
  static constexpr uint32_t kRuleBit = 1u << 31;
  static bool is_rule(uint32_t symbol) { return (symbol & kRuleBit) != 0; }
  static uint32_t rule_of(uint32_t symbol) { return symbol & ~kRuleBit; }
  static uint32_t symbol_of(uint32_t rule) { return rule | kRuleBit; }

  Grammar() = default;
  /// `ends[r]`: where rule r ends in `symbols`, and rule r + 1 begins.
  Grammar(std::vector<uint32_t> symbols, std::vector<uint64_t> ends)
      : symbols_(std::move(symbols)), ends_(std::move(ends)) {}

  [[nodiscard]] uint32_t rules() const { return static_cast<uint32_t>(ends_.size()); }
  [[nodiscard]] std::span<const uint32_t> rule(uint32_t number) const {
    const uint64_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::span(symbols_).subspan(begin, ends_[number] - begin);
  }
  [[nodiscard]] std::span<const uint32_t> start() const {
    return ends_.empty() ? std::span<const uint32_t>() : rule(0);
  }
  /// All right hand sides together.
  [[nodiscard]] uint64_t symbols() const { return symbols_.size(); }

  /// How many terminals each rule generates. O(size).
  [[nodiscard]] std::vector<uint64_t> lengths() const;
  /// The string that the symbols generate. O(result), with a stack of the grammar's depth.
  [[nodiscard]] PathTrace expand(std::span<const uint32_t> symbols) const;
  [[nodiscard]] PathTrace expand() const { return expand(start()); }

  /// Compressed. `level` of zstd.
  [[nodiscard]] Bytes encode(int level) const;
  /// From untrusted bytes; fails with T004 or T006.
  static Result<Grammar> decode(ByteSpan bytes);

 private:
  std::vector<uint32_t> symbols_;
  std::vector<uint64_t> ends_;
};

}  // namespace twinrun
