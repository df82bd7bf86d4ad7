// SPDX-License-Identifier: MIT
#pragma once

#include "program/debug_info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace twinrun {

/// The source text of an object in memory, as the program could write it at `pc`: `line[31]`,
/// `h->ncols`, `g.table[3].next`, `*p`. Through variables in scope: their own memory first, then
/// what pointers in them lead to, with one dereference, then with two. Of several names the one
/// with fewest dereferences, then the shortest, then that of the innermost variable. Empty when
/// there is none, when the bytes lie across members, or when only the members of a union fit and
/// more than one does. `p[3]` is given only when no other pointer could reach there. `address` is
/// that of the running program. Reads at most a few thousand pointers.
std::optional<std::string> name_memory(DebugInfo& info, uint64_t pc, const ValueSource& source,
                                       uint64_t address, uint64_t size);

/// The variable, or member of one, that is in the register of this DWARF number at `pc`; the
/// innermost. A part of the register counts when the variable is as small, or larger.
std::optional<std::string> name_register(DebugInfo& info, uint64_t pc, const ValueSource& source,
                                         unsigned dwarf_number, uint64_t size);

/// An object that an expression names. A bit-field is read through its member (bits != 0).
struct Object {
  Location location;
  const Type* type = nullptr;
  uint32_t bit_offset = 0;
  uint32_t bit_size = 0;
};

/// Resolves `h->ncols`, `a[3].x`, `*p`, `m[i][2]`, `(*p).x` at `pc`: names, members, indices,
/// dereferences and parentheses. Fails with P003 and the place in the text.
Result<Object> resolve_expression(DebugInfo& info, uint64_t pc, const ValueSource& source,
                                  std::string_view text);

/// The value of an object as format_object prints it, bit-fields too.
std::string format_named(const Object& object, const ValueSource& source);

}  // namespace twinrun
