// SPDX-License-Identifier: MIT
// Strings are known by what matters of them for P: the longest prefix of P at their end, the
// longest suffix of P at their beginning, and where they are inside of P, if they are. The last is
// what makes joining exact: if v is no part of P, no prefix of P can begin in front of v and end
// behind it, so the prefix flag of uv is that of v. If it is a part of P, the prefixes of P that u
// ends with are tried, the longest first: they are the borders of u's prefix flag.
#include "paths/schemes/path_flags.h"

#include <algorithm>

namespace twinrun {

PathFlags::PathFlags(const PathQuery& query)
    : automaton_(query), path_(query.blocks), m_(static_cast<int32_t>(query.blocks.size())) {
  const auto m = static_cast<size_t>(m_);
  common_.assign((m + 1) * (m + 1), 0);
  for (int32_t i = m_ - 1; i >= 0; --i)
    for (int32_t j = m_ - 1; j >= 0; --j)
      if (path_[static_cast<size_t>(i)] == path_[static_cast<size_t>(j)])
        common_[index(i, j)] = common_[index(i + 1, j + 1)] + 1;
  border_.assign(m + 1, 0);
  suffix_border_.assign(m + 1, 0);
  for (int32_t length = 2; length <= m_; ++length) {
    for (int32_t b = length - 1; b > 0; --b) {
      if (border_[static_cast<size_t>(length)] == 0 && same(0, length - b, b))
        border_[static_cast<size_t>(length)] = b;
      if (suffix_border_[static_cast<size_t>(length)] == 0 && same(m_ - length, m_ - b, b))
        suffix_border_[static_cast<size_t>(length)] = b;
    }
  }
  crossing_.assign((m + 1) * (m + 1), 0);
  for (int32_t state = 1; state <= m_; ++state) {
    std::vector<bool> is_prefix(m + 1);
    for (int32_t q = state; q > 0; q = border_[static_cast<size_t>(q)])
      is_prefix[static_cast<size_t>(q)] = true;
    for (int32_t suffix = 1; suffix <= m_; ++suffix) {
      const int32_t shorter = suffix_border_[static_cast<size_t>(suffix)];
      crossing_[index(state, suffix)] =
          crossing_[index(state, shorter)] + (is_prefix[static_cast<size_t>(m_ - suffix)] ? 1 : 0);
    }
  }
}

LevelFlags PathFlags::of_block(uint32_t block) const {
  const auto at = std::find(path_.begin(), path_.end(), block);
  if (at == path_.end()) return {.internal = LevelFlags::kNoFactor, .internal_length = 1};
  return {.prefix = path_.front() == block ? 1 : 0,
          .suffix = path_.back() == block ? 1 : 0,
          .internal = static_cast<int32_t>(at - path_.begin()),
          .internal_length = 1,
          .occurrences = m_ == 1 ? 1u : 0u};
}

int32_t PathFlags::after(int32_t state, const LevelFlags& right) const {
  if (state < 0) return state;
  if (right.internal == LevelFlags::kNoFactor) return right.prefix;
  for (int32_t q = state;; q = border_[static_cast<size_t>(q)]) {
    if (q + right.internal_length <= m_ && same(q, right.internal, right.internal_length))
      return q + right.internal_length;
    if (q == 0) return right.prefix;
  }
}

int32_t PathFlags::join_suffix(const LevelFlags& left, int32_t right) const {
  if (left.internal == LevelFlags::kNoFactor) return left.suffix;
  for (int32_t x = right;; x = suffix_border_[static_cast<size_t>(x)]) {
    const int32_t length = left.internal_length + x;
    if (length <= m_ && same(m_ - length, left.internal, left.internal_length)) return length;
    if (x == 0) return left.suffix;
  }
}

LevelFlags PathFlags::join(const LevelFlags& left, const LevelFlags& right) const {
  LevelFlags both{
      .prefix = after(left.prefix, right),
      .suffix = join_suffix(left, right.suffix),
      .internal = LevelFlags::kNoFactor,
      .internal_length = 1,
      .occurrences = left.occurrences + right.occurrences + crossing(left.prefix, right.suffix)};
  if (left.internal == LevelFlags::kNoFactor || right.internal == LevelFlags::kNoFactor)
    return both;
  const int32_t length = left.internal_length + right.internal_length;
  for (int32_t i = 0; i + length <= m_; ++i) {
    if (!same(i, left.internal, left.internal_length)) continue;
    if (!same(i + left.internal_length, right.internal, right.internal_length)) continue;
    both.internal = i;
    both.internal_length = length;
    break;
  }
  return both;
}

}  // namespace twinrun
