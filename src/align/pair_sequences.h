// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {

/// Numbers of elements of two sequences that correspond; both ascend strictly.
using SequencePairs = std::vector<std::pair<uint32_t, uint32_t>>;

/// Equal elements of two sequences that are in the same order in both: as many as there are when
/// not much more than `most_edits` are left over, else most of them. O((n + m) edits).
SequencePairs pair_equal(std::span<const uint64_t> a, std::span<const uint64_t> b,
                         uint32_t most_edits);

/// How many elements are left over when as many as possible are paired; `most_edits` + 1 when it is
/// more than that.
uint32_t edit_distance(std::span<const uint64_t> a, std::span<const uint64_t> b,
                       uint32_t most_edits);

/// An element of weighted sequences.
struct WeightedElement {
  uint64_t full = 0;     // equal ones are the same
  uint64_t shallow = 0;  // equal ones are alike
  uint32_t weight = 0;
};

/// What a pairing leaves over, by weight: of what is paired and not equal a part.
double cost_of(std::span<const WeightedElement> a, std::span<const WeightedElement> b,
               const SequencePairs& pairs);

/// A pairing of small cost. The order of the arguments does not matter, but for the order in pairs.
/// `cells`: how much may be spent, in cells of tables; what is used is taken off.
SequencePairs pair_weighted(std::span<const WeightedElement> a, std::span<const WeightedElement> b,
                            uint64_t& cells);

}  // namespace twinrun
