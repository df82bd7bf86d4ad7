// SPDX-License-Identifier: MIT
// Two ELF files from untrusted bytes, the second one behind the first: matched with each other and
// the first one with itself. What is matched must be one to one and describable.
#include "base/check.h"
#include "match/match_report.h"
#include "match/matcher.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

using namespace twinrun;

namespace {

void check_pairs(const Pairing& pairs) {
  size_t count = 0;
  for (uint32_t i = 0; i < pairs.size(Side::kOld); ++i) {
    const uint32_t j = pairs.partner(Side::kOld, i);
    if (j == kNoMatch) continue;
    ++count;
    CHECK(pairs.partner(Side::kNew, j) == i) << i << j;
  }
  CHECK(count == pairs.count());
}

void match(const BinaryShape& a, const BinaryShape& b) {
  const MatchState state = match_binaries(a, b, MatchOptions::defaults());
  check_pairs(state.procedures);
  check_pairs(state.blocks);
  check_pairs(state.data);
  const MatchReport report = make_match_report(a, b, state, true);
  if (!report.blocks.empty())
    (void)explain_match(a, b, state, report, Side::kOld, report.blocks[0].old_address);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes(data, size);
  const auto one = ModuleCode::open_memory(bytes, {});
  if (!one) return 0;
  const BinaryShape shape = BinaryShape::make(*one);
  match(shape, shape);
  constexpr std::array<uint8_t, 4> kMagic{0x7f, 'E', 'L', 'F'};
  const auto second = std::search(bytes.begin() + 1, bytes.end(), kMagic.begin(), kMagic.end());
  const auto at = static_cast<size_t>(second - bytes.begin());
  const auto two = ModuleCode::open_memory(bytes.subspan(std::min(at, size)), {.hide_names = true});
  if (!two) return 0;
  match(shape, BinaryShape::make(*two));
  return 0;
}
