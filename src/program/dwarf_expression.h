// SPDX-License-Identifier: MIT
// Evaluation of DWARF expressions. Internal to program/.
#pragma once

#include "base/bytes.h"
#include "program/dwarf_context.h"
#include "program/values.h"

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace twinrun {

/// What an expression can refer to. Functions may be empty: then what needs them is unavailable.
struct ExpressionContext {
  const UnitContext* unit = nullptr;  // null: no unit (call frame information)
  const ValueSource* source = nullptr;
  std::function<std::optional<uint64_t>()> frame_base;
  std::function<std::optional<uint64_t>()> call_frame_address;
  /// A register at the entry of the function, when the source does not know it.
  std::function<std::optional<uint64_t>(unsigned)> entry_reg;
};

/// The location that an expression describes. Never fails: what is unknown is unavailable, with
/// the reason. At most 10 000 operations are executed.
Location evaluate(ByteSpan expression, const ExpressionContext& context);

/// The value of an expression that computes one (the address of a frame, say).
std::optional<uint64_t> evaluate_number(ByteSpan expression, const ExpressionContext& context);

/// Operations that libdw decoded, as bytes again; empty when one is not of the plain kind that call
/// frame information consists of.
std::optional<Bytes> encode_operations(const Dwarf_Op* operations, size_t count);

}  // namespace twinrun
