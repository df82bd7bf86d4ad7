// SPDX-License-Identifier: MIT
#include "program/flow_facts.h"

#include <algorithm>

namespace twinrun {
namespace {

// Small for targets near each other in both directions.
uint64_t zigzag(uint64_t difference) {
  return difference << 1 ^ (difference >> 63 != 0 ? ~uint64_t{0} : 0);
}
uint64_t unzigzag(uint64_t value) { return value >> 1 ^ ((value & 1) != 0 ? ~uint64_t{0} : 0); }

void write(ByteWriter& out, const JumpTable& table) {
  out.varint(table.address);
  out.varint(table.entry_size << 1 | (table.bounded ? 1u : 0u));
  out.varint(table.targets.size());
  uint64_t before = table.address;
  for (const uint64_t target : table.targets) {
    out.varint(zigzag(target - before));
    before = target;
  }
}

JumpTable read_table(ByteReader& in) {
  JumpTable out;
  out.address = in.varint();
  const uint64_t flags = in.varint();
  out.entry_size = static_cast<uint32_t>(flags >> 1);
  out.bounded = (flags & 1) != 0;
  uint64_t before = out.address;
  // No reserve, here and below: the counts are untrusted.
  for (uint64_t left = in.varint(); left > 0 && !in.failed(); --left)
    out.targets.push_back(before += unzigzag(in.varint()));
  return out;
}

}  // namespace

Bytes FlowFacts::encode() const {
  ByteWriter out;
  out.varint(returns.size());
  for (size_t i = 0; i < returns.size(); i += 8) {
    uint8_t byte = 0;
    for (size_t bit = 0; bit < 8 && i + bit < returns.size(); ++bit)
      byte |= static_cast<uint8_t>(returns[i + bit] ? 1u << bit : 0u);
    out.fixed(byte);
  }
  out.varint(links.size());
  for (const Link& link : links) {
    out.varint(link.part);
    out.varint(link.parent);
  }
  out.varint(no_return.size());
  for (const std::string& name : no_return) out.string(name);
  out.varint(jumps.size());
  for (const KnownJump& jump : jumps) {
    out.varint(jump.address);
    out.varint(jump.tables.size());
    for (const JumpTable& table : jump.tables) write(out, table);
  }
  return out.take();
}

std::optional<FlowFacts> FlowFacts::decode(ByteSpan bytes, uint32_t functions) {
  ByteReader in(bytes);
  FlowFacts out;
  if (in.varint() != functions) return std::nullopt;
  const ByteSpan bits = in.take((functions + 7) / 8);
  if (in.failed()) return std::nullopt;
  out.returns.resize(functions);
  for (uint32_t i = 0; i < functions; ++i) out.returns[i] = (bits[i / 8] >> (i % 8) & 1) != 0;
  for (uint64_t left = in.varint(); left > 0 && !in.failed(); --left) {
    const uint64_t part = in.varint();
    const uint64_t parent = in.varint();
    if (part >= functions || parent >= functions) return std::nullopt;
    out.links.push_back({static_cast<uint32_t>(part), static_cast<uint32_t>(parent)});
  }
  for (uint64_t left = in.varint(); left > 0 && !in.failed(); --left)
    out.no_return.emplace_back(in.string());
  for (uint64_t left = in.varint(); left > 0 && !in.failed(); --left) {
    KnownJump& jump = out.jumps.emplace_back();
    jump.address = in.varint();
    for (uint64_t tables = in.varint(); tables > 0 && !in.failed(); --tables)
      jump.tables.push_back(read_table(in));
  }
  const bool is_sorted = std::ranges::is_sorted(out.no_return) &&
                         std::ranges::is_sorted(out.jumps, {}, &KnownJump::address);
  if (in.failed() || !in.at_end() || !is_sorted) return std::nullopt;
  return out;
}

}  // namespace twinrun
