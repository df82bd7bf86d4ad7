// SPDX-License-Identifier: MIT
#include "profile/address_profile.h"

#include <algorithm>
#include <tuple>

namespace twinrun {
namespace {

// Sorts by key and adds up neighbours with equal ones.
template <typename T, typename Key, typename Add>
void fold_rows(std::vector<T>& rows, Key key, Add add) {
  std::ranges::stable_sort(rows, {}, key);
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (kept > 0 && key(rows[kept - 1]) == key(rows[i]))
      add(rows[kept - 1], rows[i]);
    else
      rows[kept++] = rows[i];
  }
  rows.resize(kept);
}

}  // namespace

void AddressProfile::add_branch(uint64_t from, uint64_t to, uint64_t count, uint64_t mispredicts) {
  if (count > 0 && (from != kElsewhere || to != kElsewhere))
    branches.push_back({from, to, count, mispredicts});
}

void AddressProfile::add_range(uint64_t first, uint64_t last, uint64_t count) {
  if (count > 0) ranges.push_back({first, last, count});
}

void AddressProfile::add_hits(uint64_t address, uint64_t count) {
  if (count > 0) hits.push_back({address, count});
}

void AddressProfile::normalize() {
  fold_rows(
      branches, [](const Branch& b) { return std::pair(b.from, b.to); },
      [](Branch& a, const Branch& b) {
        a.count = add_counts(a.count, b.count);
        a.mispredicts = add_counts(a.mispredicts, b.mispredicts);
      });
  fold_rows(
      ranges, [](const Range& r) { return std::pair(r.first, r.last); },
      [](Range& a, const Range& b) { a.count = add_counts(a.count, b.count); });
  fold_rows(
      hits, [](const Hits& h) { return h.address; },
      [](Hits& a, const Hits& b) { a.count = add_counts(a.count, b.count); });
}

}  // namespace twinrun
