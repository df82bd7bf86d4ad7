// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "explain/graph/value_pairs.h"
#include "values/process_view.h"

#include <cstdint>
#include <optional>

namespace twinrun {

/// A byte that was copied to another place, who wrote it there, and when it was read.
struct CopiedByte {
  BytesOf from;  // one byte
  LastWriter writer;
};

/// Where the statement got a byte from that it wrote, when it only moved it; nothing when it
/// computed it, or the byte is a constant.
Result<std::optional<CopiedByte>> copied_from(ProcessView& view, const LastWriter& writer,
                                              const BytesOf& byte);

/// Whether what the instruction loads is only put elsewhere as long as the block lasts: so are
/// structures copied, with the gaps between their members.
bool only_moves(const BlockFlow& flow, uint32_t instruction);

}  // namespace twinrun
