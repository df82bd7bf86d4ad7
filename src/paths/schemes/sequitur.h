// SPDX-License-Identifier: MIT
#pragma once

#include "paths/schemes/grammar.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// Nevill-Manning's and Witten's SEQUITUR: takes a string symbol by symbol and has at any moment a
/// grammar of it with two properties. Digram uniqueness: no pair of adjacent symbols is twice in
/// the grammar, but for pairs that overlap (aaa). Rule utility: every rule but the first is used
/// at least twice. Amortized O(1) a symbol; memory follows the grammar.
class Sequitur {
 public:
  Sequitur();

  /// A terminal: below 1 << 30, or any PathEvent.
  void append(uint32_t terminal);
  void append(PathEvent event) { append(event.word()); }
  /// The grammar so far. O(its size).
  [[nodiscard]] Grammar grammar() const;
  [[nodiscard]] uint64_t terminals() const { return terminals_; }

 private:
  using SymbolNo = uint32_t;  // 0: none
  // Values: terminals, then names of rules, guards and what is no longer there.
  static constexpr uint32_t kRule = Grammar::kRuleBit;
  static constexpr uint32_t kGuard = 3u << 30;
  static constexpr uint32_t kGone = ~0u;

  struct Symbol {
    uint32_t value;
    SymbolNo previous;
    SymbolNo next;
  };
  struct Rule {
    SymbolNo guard = 0;  // between the last and the first symbol of the ring
    uint32_t uses = 0;
    SymbolNo use_sum = 0;  // of the symbols that use it: with one use, it is that symbol
  };
  /// Where a digram is; open addressing, with the values so that a probe needs no symbol.
  struct Slot {
    uint32_t first = 0;
    uint32_t second = 0;
    SymbolNo at = 0;
  };

  [[nodiscard]] bool is_guard(SymbolNo s) const { return (symbols_[s].value & kGuard) == kGuard; }
  [[nodiscard]] bool is_rule(SymbolNo s) const { return (symbols_[s].value & kGuard) == kRule; }
  [[nodiscard]] SymbolNo next(SymbolNo s) const { return symbols_[s].next; }
  [[nodiscard]] SymbolNo previous(SymbolNo s) const { return symbols_[s].previous; }

  SymbolNo make_symbol(uint32_t value);
  uint32_t make_rule();
  void link(SymbolNo left, SymbolNo right) {
    symbols_[left].next = right;
    symbols_[right].previous = left;
  }
  void insert_after(SymbolNo at, SymbolNo symbol);
  void drop(SymbolNo symbol);
  /// Makes the digram that begins here unique again. True when that replaced it.
  bool check(SymbolNo first);
  void match(SymbolNo recent, SymbolNo found);
  void substitute(SymbolNo first, uint32_t rule);
  void expand(uint32_t rule);
  void forget_digram(SymbolNo first);
  void settle();

  Slot& find(uint32_t first, uint32_t second);
  void erase(Slot& slot);
  void grow();
  [[nodiscard]] size_t home(uint32_t first, uint32_t second) const {
    const uint64_t key = (uint64_t{first} << 32 | second) * 0x9e3779b97f4a7c15u;
    return static_cast<size_t>(key >> shift_);
  }

  std::vector<Symbol> symbols_;
  std::vector<SymbolNo> free_symbols_;
  std::vector<SymbolNo> gone_symbols_;  // free when the symbol under way has been taken in
  std::vector<Rule> rules_;
  std::vector<uint32_t> free_rules_;
  std::vector<Slot> slots_;
  size_t used_slots_ = 0;
  unsigned shift_ = 0;
  std::vector<SymbolNo> unchecked_;  // digrams that may be there twice
  std::vector<uint32_t> underused_;  // rules that were used once
  uint64_t terminals_ = 0;
};

}  // namespace twinrun
