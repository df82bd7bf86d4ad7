// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "explain/target/target_facts.h"
#include "values/outputs.h"
#include "values/process_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// All that a process wrote to a descriptor, whatever it meant at the time.
Output joined_output(const std::vector<Output>& outputs, int64_t descriptor);

/// "standard output", a path, or "descriptor 7".
std::string output_name(const Output& a, const Output& b);

/// A byte of an output: the piece that holds it, and where in it.
struct OutputByte {
  const OutputPiece* piece = nullptr;  // null: there is no such byte
  uint64_t skip = 0;

  [[nodiscard]] uint8_t byte() const { return piece->bytes[skip]; }
  /// The line around it, or that there is nothing.
  [[nodiscard]] TargetValue told() const;
};
OutputByte output_byte(const Output& output, uint64_t at);

/// The instruction that called the kernel at the end of the block.
Result<Position> end_of_block(Run& run, uint32_t process, BlockAt block);

}  // namespace twinrun
