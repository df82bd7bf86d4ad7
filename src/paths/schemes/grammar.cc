// SPDX-License-Identifier: MIT
#include "paths/schemes/grammar.h"

#include "trace/coding.h"

#include <utility>

namespace twinrun {

std::vector<uint64_t> Grammar::lengths() const {
  std::vector<uint64_t> lengths(rules());
  for (uint32_t r = rules(); r-- > 0;)
    for (const uint32_t symbol : rule(r))
      lengths[r] += is_rule(symbol) ? lengths[rule_of(symbol)] : 1;
  return lengths;
}

PathTrace Grammar::expand(std::span<const uint32_t> symbols) const {
  PathTrace out;
  std::vector<std::span<const uint32_t>> open{symbols};
  while (!open.empty()) {
    std::span<const uint32_t>& left = open.back();
    if (left.empty()) {
      open.pop_back();
      continue;
    }
    const uint32_t symbol = left.front();
    left = left.subspan(1);
    if (is_rule(symbol)) {
      open.push_back(rule(rule_of(symbol)));
    } else {
      out.push_back(PathEvent::of_word(symbol));
    }
  }
  return out;
}

// Version, rules, symbols, then two zstd frames: the rules' lengths, and the symbols as numbers
// whose lowest bit says what they are. A rule is written as its distance, which is small for rules
// that were made when the using rule was.
namespace {
constexpr uint32_t kGrammarVersion = 1;
}  // namespace

Bytes Grammar::encode(int level) const {
  ByteWriter lengths;
  ByteWriter words;
  for (uint32_t r = 0; r < rules(); ++r) {
    lengths.varint(rule(r).size());
    for (const uint32_t symbol : rule(r)) {
      if (is_rule(symbol)) {
        words.varint(uint64_t{rule_of(symbol)} << 1 | 1);
        continue;
      }
      // Exits are frequent and have a large word; blocks come first, then entries.
      const PathEvent event = PathEvent::of_word(symbol);
      const uint64_t number = event.is_exit()    ? 0
                              : event.is_block() ? uint64_t{event.block()} * 2 + 1
                                                 : uint64_t{event.function()} * 2 + 2;
      words.varint(number << 1);
    }
  }
  ByteWriter out;
  out.fixed(kGrammarVersion);
  out.fixed(rules());
  out.fixed<uint64_t>(symbols());
  for (const Bytes& raw : {lengths.take(), words.take()}) {
    const Bytes coded = zstd_compress(raw, level);
    out.fixed<uint64_t>(raw.size());
    out.fixed<uint64_t>(coded.size());
    out.raw(coded);
  }
  return out.take();
}

Result<Grammar> Grammar::decode(ByteSpan bytes) {
  ByteReader in(bytes);
  const auto version = in.fixed<uint32_t>();
  if (!in.failed() && version != kGrammarVersion)
    return fail("T004", "the grammar has version {}, this program reads version {}", version,
                kGrammarVersion);
  const auto rules = in.fixed<uint32_t>();
  const auto symbols = in.fixed<uint64_t>();
  Bytes raw[2];
  for (Bytes& part : raw) {
    const auto raw_size = in.fixed<uint64_t>();
    const ByteSpan coded = in.take(in.fixed<uint64_t>());
    if (in.failed()) return fail("T006", "the grammar is cut short");
    TRY(part, zstd_decompress(coded, raw_size));
  }
  // A number takes at least one byte, so nothing is allocated that the bytes cannot fill.
  if (rules > raw[0].size() || symbols > raw[1].size())
    return fail("T006", "the grammar has {} rules and {} symbols, more than its bytes can hold",
                rules, symbols);
  ByteReader lengths(raw[0]);
  ByteReader words(raw[1]);
  std::vector<uint32_t> all;
  std::vector<uint64_t> ends;
  all.reserve(symbols);
  ends.reserve(rules);
  for (uint32_t r = 0; r < rules; ++r) {
    const uint64_t length = lengths.varint();
    if (length > symbols - all.size())
      return fail("T006", "rule {} of the grammar is longer than what is left", r);
    for (uint64_t i = 0; i < length; ++i) {
      const uint64_t word = words.varint();
      const uint64_t number = word >> 1;
      if ((word & 1) != 0) {
        if (number <= r || number >= rules)
          return fail("T006", "rule {} of the grammar uses rule {} of {}", r, number, rules);
        all.push_back(symbol_of(static_cast<uint32_t>(number)));
        continue;
      }
      if (number == 0) {
        all.push_back(PathEvent::exit().word());
        continue;
      }
      const uint64_t value = (number - 1) >> 1;
      const bool is_block = (number & 1) != 0;
      if (value >= (is_block ? PathEvent::kMostBlocks : PathEvent::kMostFunctions))
        return fail("T006", "rule {} of the grammar has the event {}, which does not exist", r,
                    number);
      const auto small = static_cast<uint32_t>(value);
      all.push_back((is_block ? PathEvent::block(small) : PathEvent::entry(small)).word());
    }
    ends.push_back(all.size());
  }
  if (lengths.failed() || words.failed() || !lengths.at_end() || !words.at_end())
    return fail("T006", "the grammar's parts do not fit together");
  return Grammar(std::move(all), std::move(ends));
}

}  // namespace twinrun
