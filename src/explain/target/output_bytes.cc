// SPDX-License-Identifier: MIT
#include "explain/target/output_bytes.h"

#include <algorithm>
#include <iterator>

namespace twinrun {

Output joined_output(const std::vector<Output>& outputs, int64_t descriptor) {
  Output out{descriptor, "", {}, 0};
  for (const Output& output : outputs) {
    if (output.descriptor != descriptor) continue;
    if (out.name.empty()) out.name = output.name;
    for (const OutputPiece& piece : output.pieces) {
      out.pieces.push_back(piece);
      out.pieces.back().offset = out.size;
      out.size += piece.bytes.size();
    }
  }
  return out;
}

std::string output_name(const Output& a, const Output& b) {
  const std::string& name = b.name.empty() ? a.name : b.name;
  return name.empty() ? fmt::format("descriptor {}", a.descriptor) : name;
}

OutputByte output_byte(const Output& output, uint64_t at) {
  const auto behind = std::ranges::upper_bound(output.pieces, at, {}, &OutputPiece::offset);
  if (behind == output.pieces.begin() || at >= output.size) return {};
  const OutputPiece& piece = *std::prev(behind);
  return {&piece, at - piece.offset};
}

TargetValue OutputByte::told() const {
  if (piece == nullptr) return {TargetValue::Kind::kNothing, {}, {}};
  constexpr size_t kMost = 40;
  const Bytes& bytes = piece->bytes;
  uint64_t from = skip;
  while (from > 0 && skip - from < kMost / 2 && bytes[from - 1] != '\n') --from;
  uint64_t to = skip;
  while (to < bytes.size() && to - from < kMost && bytes[to] != '\n') ++to;
  return {TargetValue::Kind::kBytes,
          {},
          std::string(bytes.begin() + static_cast<ptrdiff_t>(from),
                      bytes.begin() + static_cast<ptrdiff_t>(to))};
}

Result<Position> end_of_block(Run& run, uint32_t process, BlockAt block) {
  TRY(ProcessView* const view, view_of(run, process));
  TRY(const SegmentSteps* segment, view->values->steps(block.segment));
  if (block.ordinal >= segment->block_count())
    return fail("T008", "segment {} has no block {}", block.segment, block.ordinal);
  const uint32_t count = segment->counts[block.ordinal];
  return Position{{process},
                  {segment->thread_of(block.ordinal)},
                  {segment->steps[block.ordinal] + (count == 0 ? 0 : count - 1)}};
}

}  // namespace twinrun
