// SPDX-License-Identifier: MIT
#include "profile/merge_counts.h"

#include "profile/address_profile.h"

#include <algorithm>
#include <map>

namespace twinrun {
namespace {

Count merged(const Count& a, const Count& b) {
  if (!a.is_known()) return b;
  if (!b.is_known()) return a;
  Count out;
  out.value = add_counts(a.value, b.value);
  out.source = std::min(a.source, b.source);
  out.strength = std::min(a.strength, b.strength);
  return out;
}

void merge_function(FunctionCounts& into, const FunctionCounts& more) {
  into.entries = merged(into.entries, more.entries);
  for (size_t b = 0; b < into.blocks.size(); ++b)
    into.blocks[b] = merged(into.blocks[b], more.blocks[b]);
  for (size_t e = 0; e < into.edges.size(); ++e)
    into.edges[e] = merged(into.edges[e], more.edges[e]);
}

// Not executed, by an exact profile: unknown counts become known.
void add_zeros(FunctionCounts& counts) {
  const auto fill = [](Count& count) {
    if (!count.is_known()) count = {0, CountSource::kMeasured, Strength::kExact};
  };
  fill(counts.entries);
  std::ranges::for_each(counts.blocks, fill);
  std::ranges::for_each(counts.edges, fill);
}

}  // namespace

CodeCounts merge_counts(std::span<const CodeCounts> profiles) {
  CodeCounts out;
  out.is_exact = std::ranges::all_of(profiles, &CodeCounts::is_exact);
  std::map<uint32_t, FunctionCounts> functions;
  std::map<uint32_t, size_t> told;  // how many exact profiles mention the function
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> calls;
  size_t exact = 0;
  for (const CodeCounts& profile : profiles) {
    if (profile.is_exact) ++exact;
    for (const FunctionCounts& counts : profile.functions) {
      const auto [at, is_new] = functions.try_emplace(counts.function, counts);
      if (!is_new) merge_function(at->second, counts);
      if (profile.is_exact) ++told[counts.function];
    }
    for (const CallCount& call : profile.calls) {
      uint64_t& count = calls[{call.site, call.callee}];
      count = add_counts(count, call.count);
    }
  }
  for (auto& [number, counts] : functions) {
    if (told[number] < exact) add_zeros(counts);
    out.functions.push_back(std::move(counts));
  }
  for (const auto& [ends, count] : calls) out.calls.push_back({ends.first, ends.second, count});
  return out;
}

}  // namespace twinrun
