// SPDX-License-Identifier: MIT
// SEQUITUR (section 3.1). Rules are rings of symbols with a guard; a table knows where each digram
// is. A digram that comes to be a second time is replaced in both places by a rule: the one whose
// whole right hand side it is, else a new one. A rule that is used once only then is put where it
// is used.
//
// The well-known program leaves three gaps, in which one of the two properties fails after some
// symbols; the tests check both after every symbol, so they are closed here:
// - A rule can become underused in the last place of a rule, not only in the first, and by then
//   can be in the middle of a greater one. So underused rules go into a list and are found by the
//   sum of the symbols that use them, which is that symbol when it is one.
// - Putting a rule in place makes digrams at both its ends, which may exist elsewhere.
// - Of overlapping digrams (aaa) one is in the table. When it goes, the other must be entered.
// For the last two, symbols whose digram must be looked at again go into a list too. It may contain
// symbols that have gone: numbers are used again only with the next terminal.
//
// It ends: replacing a digram by an existing rule and putting a rule in place make the grammar
// smaller; a new rule leaves the number of symbols as it is, with one more rule, and at most every
// second symbol can be the beginning of one.
#include "paths/schemes/sequitur.h"

#include "base/check.h"

#include <bit>
#include <utility>

namespace twinrun {

Sequitur::Sequitur() {
  symbols_.emplace_back();  // number 0 is none
  slots_.resize(1u << 12);
  shift_ = 64 - 12;
  make_rule();
}

void Sequitur::append(uint32_t terminal) {
  CHECK(terminal < kRule) << terminal;
  ++terminals_;
  const SymbolNo guard = rules_[0].guard;
  const SymbolNo last = previous(guard);
  insert_after(last, make_symbol(terminal));
  check(last);
  settle();
}

void Sequitur::settle() {
  for (;;) {
    if (!unchecked_.empty()) {
      const SymbolNo symbol = unchecked_.back();
      unchecked_.pop_back();
      if (symbols_[symbol].value != kGone) check(symbol);
    } else if (!underused_.empty()) {
      const uint32_t rule = underused_.back();
      underused_.pop_back();
      if (rules_[rule].guard != 0 && rules_[rule].uses == 1) expand(rule);
    } else {
      break;
    }
  }
  free_symbols_.insert(free_symbols_.end(), gone_symbols_.begin(), gone_symbols_.end());
  gone_symbols_.clear();
}

Sequitur::SymbolNo Sequitur::make_symbol(uint32_t value) {
  SymbolNo number;
  if (free_symbols_.empty()) {
    number = static_cast<SymbolNo>(symbols_.size());
    CHECK(number != kGone);
    symbols_.emplace_back();
  } else {
    number = free_symbols_.back();
    free_symbols_.pop_back();
  }
  symbols_[number] = {value, 0, 0};
  if (is_rule(number)) {
    Rule& rule = rules_[value & ~kGuard];
    ++rule.uses;
    rule.use_sum += number;
  }
  return number;
}

uint32_t Sequitur::make_rule() {
  uint32_t number;
  if (free_rules_.empty()) {
    number = static_cast<uint32_t>(rules_.size());
    // The last guard's value would be that of a symbol which has gone.
    CHECK(number < (1u << 30) - 1);
    rules_.emplace_back();
  } else {
    number = free_rules_.back();
    free_rules_.pop_back();
  }
  const SymbolNo guard = make_symbol(kGuard | number);
  link(guard, guard);
  rules_[number] = {guard, 0, 0};
  return number;
}

void Sequitur::insert_after(SymbolNo at, SymbolNo symbol) {
  link(symbol, next(at));
  link(at, symbol);
}

void Sequitur::drop(SymbolNo symbol) {
  if (is_rule(symbol)) {
    const uint32_t number = symbols_[symbol].value & ~kGuard;
    Rule& rule = rules_[number];
    rule.use_sum -= symbol;
    if (--rule.uses == 1) underused_.push_back(number);
  }
  symbols_[symbol].value = kGone;
  gone_symbols_.push_back(symbol);
}

bool Sequitur::check(SymbolNo first) {
  const SymbolNo second = next(first);
  if (is_guard(first) || is_guard(second)) return false;
  Slot& slot = find(symbols_[first].value, symbols_[second].value);
  if (slot.at == 0) {
    slot = {symbols_[first].value, symbols_[second].value, first};
    if (++used_slots_ * 2 > slots_.size()) grow();
    return false;
  }
  const SymbolNo found = slot.at;
  if (found == first || next(found) == first || second == found) return false;
  match(first, found);
  return true;
}

void Sequitur::match(SymbolNo recent, SymbolNo found) {
  const SymbolNo before = previous(found);
  if (is_guard(before) && is_guard(next(next(found)))) {
    substitute(recent, symbols_[before].value & ~kGuard);
    return;
  }
  const uint32_t rule = make_rule();
  const SymbolNo guard = rules_[rule].guard;
  const SymbolNo first = make_symbol(symbols_[recent].value);
  insert_after(guard, first);
  insert_after(first, make_symbol(symbols_[next(recent)].value));
  find(symbols_[first].value, symbols_[next(first)].value).at = first;
  substitute(found, rule);
  substitute(recent, rule);
}

void Sequitur::substitute(SymbolNo first, uint32_t rule) {
  const SymbolNo before = previous(first);
  const SymbolNo second = next(first);
  const SymbolNo after = next(second);
  forget_digram(before);
  forget_digram(first);
  forget_digram(second);
  drop(first);
  drop(second);
  const SymbolNo name = make_symbol(kRule | rule);
  link(before, name);
  link(name, after);
  if (!check(before)) check(name);
}

void Sequitur::expand(uint32_t rule) {
  const SymbolNo use = rules_[rule].use_sum;
  const SymbolNo guard = rules_[rule].guard;
  const SymbolNo before = previous(use);
  const SymbolNo after = next(use);
  const SymbolNo last = previous(guard);
  forget_digram(before);
  forget_digram(use);
  link(before, next(guard));
  link(last, after);
  symbols_[use].value = kGone;
  symbols_[guard].value = kGone;
  gone_symbols_.push_back(use);
  gone_symbols_.push_back(guard);
  rules_[rule] = {};
  free_rules_.push_back(rule);
  unchecked_.push_back(before);
  unchecked_.push_back(last);
}

void Sequitur::forget_digram(SymbolNo first) {
  const SymbolNo second = next(first);
  if (is_guard(first) || is_guard(second)) return;
  const uint32_t value = symbols_[first].value;
  Slot& slot = find(value, symbols_[second].value);
  if (slot.at != first) return;
  erase(slot);
  if (value == symbols_[second].value) {
    unchecked_.push_back(previous(first));
    unchecked_.push_back(second);
  }
}

Sequitur::Slot& Sequitur::find(uint32_t first, uint32_t second) {
  const size_t mask = slots_.size() - 1;
  for (size_t i = home(first, second);; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.at == 0 || (slot.first == first && slot.second == second)) return slot;
  }
}

// What follows in the same run of slots moves up, so that no marks of erased slots pile up.
void Sequitur::erase(Slot& slot) {
  const size_t mask = slots_.size() - 1;
  auto hole = static_cast<size_t>(&slot - slots_.data());
  for (size_t i = (hole + 1) & mask; slots_[i].at != 0; i = (i + 1) & mask) {
    const size_t wanted = home(slots_[i].first, slots_[i].second);
    if (((i - wanted) & mask) < ((i - hole) & mask)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = {};
  --used_slots_;
}

void Sequitur::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  --shift_;
  for (const Slot& slot : old)
    if (slot.at != 0) find(slot.first, slot.second) = slot;
}

Grammar Sequitur::grammar() const {
  // Reverse postorder of a walk from the start rule: every rule before those that it uses.
  std::vector<uint32_t> order;
  std::vector<bool> seen(rules_.size());
  std::vector<SymbolNo> open{next(rules_[0].guard)};
  seen[0] = true;
  while (!open.empty()) {
    const SymbolNo symbol = open.back();
    if (is_guard(symbol)) {
      order.push_back(symbols_[symbol].value & ~kGuard);
      open.pop_back();
      continue;
    }
    open.back() = next(symbol);
    if (!is_rule(symbol)) continue;
    const uint32_t rule = symbols_[symbol].value & ~kGuard;
    if (seen[rule]) continue;
    seen[rule] = true;
    open.push_back(next(rules_[rule].guard));
  }
  std::vector<uint32_t> numbers(rules_.size());
  for (uint32_t i = 0; i < order.size(); ++i) numbers[order[order.size() - 1 - i]] = i;
  std::vector<uint32_t> symbols;
  std::vector<uint64_t> ends;
  for (size_t i = order.size(); i-- > 0;) {
    for (SymbolNo s = next(rules_[order[i]].guard); !is_guard(s); s = next(s))
      symbols.push_back(is_rule(s) ? Grammar::symbol_of(numbers[symbols_[s].value & ~kGuard])
                                   : symbols_[s].value);
    ends.push_back(symbols.size());
  }
  return {std::move(symbols), std::move(ends)};
}

}  // namespace twinrun
