// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "program/types.h"
#include "program/values.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace twinrun {

struct FormatOptions {
  size_t most_elements = 16;     // of an array, or members of a struct; the rest is "..."
  size_t most_characters = 200;  // of a string
  int levels = 1;                // structs and arrays inside deeper ones are "{...}"
};

/// A value as gdb prints it: 42, 97 'a', true, kBlue, (kRead | kRun), 0.1, 0x7ffe..., 0x4010
/// "text", "text", {x = 1, y = 2}. Floating point has the fewest digits that read back as the same
/// number. `source` serves to read the strings that pointers to char point to; it may be null. What
/// is unavailable reads "<why>".
std::string format_value(const Type& type, ByteSpan bytes, const ValueSource* source,
                         const FormatOptions& options = {});

/// The value of an object where it is.
std::string format_object(const Type& type, const Location& location, const ValueSource& source,
                          const FormatOptions& options = {});

/// The number that bytes of an integer, enumeration or pointer type stand for, sign-extended; empty
/// for other types and more than 8 bytes.
std::optional<uint64_t> integer_value(const Type& type, ByteSpan bytes);

/// The bits of a bit-field, in an integer of the member's type; `bytes` begin at the member's
/// offset. Empty when they do not hold them.
std::optional<Bytes> bit_field_value(const Member& member, ByteSpan bytes);

/// 'a', '\n', '\377': as in C source, for a character in a value.
std::string quote_character(uint8_t character, char quote);

}  // namespace twinrun
