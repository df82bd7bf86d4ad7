// SPDX-License-Identifier: MIT
#include "match/align_instructions.h"

#include <algorithm>

namespace twinrun {
namespace {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

bool is_alike(const ShapeInstruction& a, const ShapeInstruction& b) {
  return a.group == b.group && !a.is_padding && !b.is_padding;
}

// How much two instructions of the same group have in common.
uint32_t worth(const ShapeInstruction& a, const ShapeInstruction& b) {
  if (!is_alike(a, b)) return 0;
  return 4 + (a.opcode == b.opcode ? 1 : 0) + (a.types == b.types ? 1 : 0) +
         (a.immediate == b.immediate && a.displacement == b.displacement ? 1 : 0);
}

void align_piece(std::span<const ShapeInstruction> a, std::span<const ShapeInstruction> b,
                 uint32_t at_a, uint32_t at_b, Pairs& out) {
  const size_t width = b.size() + 1;
  std::vector<uint32_t> best((a.size() + 1) * width);
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;) {
      const uint32_t gain = worth(a[i], b[j]);
      best[i * width + j] = std::max({best[(i + 1) * width + j], best[i * width + j + 1],
                                      gain == 0 ? 0 : gain + best[(i + 1) * width + j + 1]});
    }
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint32_t gain = worth(a[i], b[j]);
    if (gain != 0 && best[i * width + j] == gain + best[(i + 1) * width + j + 1])
      out.emplace_back(at_a + i++, at_b + j++);
    else if (best[i * width + j] == best[(i + 1) * width + j])
      ++i;
    else
      ++j;
  }
}

}  // namespace

Pairs align_instructions(std::span<const ShapeInstruction> old_ones,
                         std::span<const ShapeInstruction> new_ones) {
  constexpr size_t kPiece = 256;
  Pairs out;
  // What begins alike needs no search.
  uint32_t same = 0;
  while (same < old_ones.size() && same < new_ones.size() &&
         worth(old_ones[same], new_ones[same]) == 7) {
    out.emplace_back(same, same);
    ++same;
  }
  for (size_t at = same; at < old_ones.size() && at < new_ones.size(); at += kPiece)
    align_piece(old_ones.subspan(at, std::min(kPiece, old_ones.size() - at)),
                new_ones.subspan(at, std::min(kPiece, new_ones.size() - at)),
                static_cast<uint32_t>(at), static_cast<uint32_t>(at), out);
  return out;
}

}  // namespace twinrun
