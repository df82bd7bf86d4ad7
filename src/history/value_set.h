// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// What the values of one instruction are to those of another.
enum class SetRelation : uint8_t {
  kNone,
  kEqual,
  kSubset,    // all of the first are among the second
  kSuperset,  // the other way round
  kNear,      // of at least kNearLeast values of either, at most kNearExtra are not in the other
};

/// The values that an instruction produced, each once: its signature (the paper's U, section 3.3).
/// Compilers change how often and in which order instructions are executed; which values there are
/// they change less.
///
/// Up to kExactMost values are kept. Of more there is a sketch: the kSampleSize smallest of their
/// hashes, which are the same sample of whatever set has them, and a Bloom filter. A sketch never
/// denies that a set is a subset of another when it is; that it claims so when it is not takes
/// kSampleSize coincidences.
class ValueSet {
 public:
  static constexpr size_t kExactMost = 512;
  static constexpr size_t kSampleSize = 256;
  static constexpr size_t kNearLeast = 5;
  static constexpr size_t kNearExtra = 2;

  /// By a hash of the value whose bits are all as good as random.
  void add(uint64_t hash);
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] bool is_sketch() const { return !filter_.empty(); }
  /// How many there are; of a sketch, estimated from its sample.
  [[nodiscard]] size_t size() const;
  /// Those that are kept, ascending.
  [[nodiscard]] std::span<const uint64_t> values() const;
  /// Never false of one that was added.
  [[nodiscard]] bool may_have(uint64_t hash) const;

 private:
  static constexpr size_t kFilterWords = 1024;  // 64 Kibit

  void tidy() const;
  void mark(uint64_t hash);

  // Ascending up to `sorted_`; what was added since stands behind it, perhaps twice.
  mutable std::vector<uint64_t> values_;
  mutable size_t sorted_ = 0;
  uint64_t last_ = 0;             // that was added: loops repeat it
  std::vector<uint64_t> filter_;  // empty: all values are kept
};

/// kNone when one of them is empty: of what computed nothing nobody knows whether it is the same.
SetRelation relation(const ValueSet& a, const ValueSet& b);

}  // namespace twinrun
