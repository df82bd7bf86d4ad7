// SPDX-License-Identifier: MIT
#include "explain/answer/own_files.h"

#include <algorithm>

namespace twinrun {

Result<std::optional<OwnFiles::Written>> OwnFiles::find(RunSide side, ProcessView& view,
                                                        const OutsideSource& source, BlockAt before,
                                                        uint32_t size) {
  if (source.kind != OutsideSource::Kind::kSyscall || !source.offset || source.input.empty())
    return std::nullopt;
  const auto [known, is_new] = outputs_.try_emplace(&view);
  if (is_new) {
    TRY(known->second, outputs_of(runs_.run(side).reader(), view.process()));
  }
  std::optional<Written> out;
  for (const Output& output : known->second) {
    if (output.name != source.input) continue;
    for (const OutputPiece& piece : output.pieces) {
      const uint64_t skip = *source.offset - piece.offset;
      if (*source.offset < piece.offset || skip >= piece.bytes.size()) continue;
      // The latest one: a file can be written anew.
      if (before < piece.block || (out && piece.block < out->block)) continue;
      const uint64_t count = std::min<uint64_t>(size, piece.bytes.size() - skip);
      const auto first = piece.bytes.begin() + static_cast<ptrdiff_t>(skip);
      out = {piece.block,
             {true, piece.address + skip, static_cast<uint32_t>(count)},
             {first, first + static_cast<ptrdiff_t>(count)}};
    }
  }
  return out;
}

}  // namespace twinrun
