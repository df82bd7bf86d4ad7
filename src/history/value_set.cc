// SPDX-License-Identifier: MIT
#include "history/value_set.h"

#include <algorithm>
#include <limits>

namespace twinrun {
namespace {

constexpr size_t kUnsortedMost = 256;  // values, before they are put in order

/// The two bits of a hash in a filter of 2^16 bits.
struct FilterBits {
  explicit FilterBits(uint64_t hash)
      : first(static_cast<uint16_t>(hash >> 16)), second(static_cast<uint16_t>(hash >> 40)) {}
  uint16_t first;
  uint16_t second;
};

/// The first value of a sample's complement: of all below it, a set that has them has them here.
uint64_t end_of_sample(const ValueSet& of) {
  return of.is_sketch() ? of.values().back() : std::numeric_limits<uint64_t>::max();
}

/// How many of those kept in `a` cannot be in `b`, up to `most`.
size_t missing(const ValueSet& a, const ValueSet& b, size_t most) {
  const std::span<const uint64_t> known = b.values();
  const uint64_t end = end_of_sample(b);
  size_t out = 0;
  auto at = known.begin();
  for (const uint64_t value : a.values()) {
    at = std::lower_bound(at, known.end(), value);
    const bool is_there = at != known.end() && *at == value;
    const bool may_be = is_there || (value > end && b.may_have(value));
    if (!may_be && ++out >= most) break;
  }
  return out;
}

bool is_subset(const ValueSet& a, const ValueSet& b) {
  // What is kept of a sketch is more than an exact set can have.
  if (a.is_sketch() && !b.is_sketch()) return false;
  return missing(a, b, 1) == 0;
}

}  // namespace

void ValueSet::mark(uint64_t hash) {
  const FilterBits bits(hash);
  filter_[bits.first / 64] |= uint64_t{1} << bits.first % 64;
  filter_[bits.second / 64] |= uint64_t{1} << bits.second % 64;
}

void ValueSet::tidy() const {
  if (sorted_ == values_.size()) return;
  const auto middle = values_.begin() + static_cast<ptrdiff_t>(sorted_);
  std::sort(middle, values_.end());
  std::inplace_merge(values_.begin(), middle, values_.end());
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  sorted_ = values_.size();
}

void ValueSet::add(uint64_t hash) {
  if (hash == last_ && !values_.empty()) return;
  last_ = hash;
  if (is_sketch()) {
    mark(hash);
    if (hash >= values_[sorted_ - 1]) return;
  }
  values_.push_back(hash);
  if (values_.size() - sorted_ < kUnsortedMost) return;
  tidy();
  if (!is_sketch()) {
    if (values_.size() <= kExactMost) return;
    filter_.resize(kFilterWords);
    for (const uint64_t value : values_) mark(value);
  }
  values_.resize(std::min(values_.size(), kSampleSize));
  sorted_ = values_.size();
}

std::span<const uint64_t> ValueSet::values() const {
  tidy();
  return is_sketch() ? std::span(values_).first(std::min(values_.size(), kSampleSize)) : values_;
}

size_t ValueSet::size() const {
  const auto kept = values();
  if (!is_sketch()) return kept.size();
  const double share = static_cast<double>(kept.back()) / 0x1p64;
  return static_cast<size_t>(static_cast<double>(kept.size()) / share);
}

bool ValueSet::may_have(uint64_t hash) const {
  if (!is_sketch()) return std::ranges::binary_search(values(), hash);
  const FilterBits bits(hash);
  return (filter_[bits.first / 64] >> bits.first % 64 & 1) != 0 &&
         (filter_[bits.second / 64] >> bits.second % 64 & 1) != 0;
}

SetRelation relation(const ValueSet& a, const ValueSet& b) {
  if (a.empty() || b.empty()) return SetRelation::kNone;
  const bool in_b = is_subset(a, b);
  const bool in_a = is_subset(b, a);
  if (in_a && in_b) return SetRelation::kEqual;
  if (in_b) return SetRelation::kSubset;
  if (in_a) return SetRelation::kSuperset;
  constexpr size_t kTooMany = ValueSet::kNearExtra + 1;
  const bool is_near = !a.is_sketch() && !b.is_sketch() &&
                       std::min(a.size(), b.size()) >= ValueSet::kNearLeast &&
                       missing(a, b, kTooMany) < kTooMany && missing(b, a, kTooMany) < kTooMany;
  return is_near ? SetRelation::kNear : SetRelation::kNone;
}

}  // namespace twinrun
