// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

enum class TypeKind : uint8_t {
  kUnknown,  // damaged, of a kind not modelled, or in a file that is missing
  kVoid,
  kBool,
  kSigned,
  kUnsigned,
  kSignedChar,
  kUnsignedChar,
  kFloat,
  kPointer,
  kReference,
  kRvalueReference,
  kArray,
  kStruct,
  kClass,
  kUnion,
  kEnum,
  kFunction,
  kMemberPointer,
  kTypedef,
  kConst,
  kVolatile,
  kRestrict,
  kAtomic,
};

struct Type;

struct Member {
  std::string name;  // empty: an anonymous struct or union, or a base class
  const Type* type = nullptr;
  /// Empty when it is known at run time only (virtual bases).
  std::optional<uint64_t> offset;
  /// Of a bit-field: `bit_offset` counts from the least significant bit of the byte at `offset`.
  uint32_t bit_offset = 0;
  uint32_t bit_size = 0;
  bool is_base = false;
};

struct Enumerator {
  std::string name;
  int64_t value = 0;
};

/// A type of the program. Types refer to each other and may do so in circles (damaged files also
/// in meaningless ones); they live as long as the DebugInfo that made them.
struct Type {
  TypeKind kind = TypeKind::kUnknown;
  std::string name;
  std::optional<uint64_t> size;  // as the debug information states it; see size_of
  /// What a pointer points to, an array consists of, a function returns, an alias or qualifier
  /// stands for; of an enumeration its integer. Never null where the kind has one.
  const Type* target = nullptr;
  std::vector<Member> members;
  std::vector<Enumerator> enumerators;
  std::vector<const Type*> parameters;
  std::optional<uint64_t> count;  // of an array; empty: not stated, or known at run time only
  bool is_variadic = false;
  bool is_declaration = false;  // its members are elsewhere, or nowhere
  bool is_cplusplus = false;
};

/// Without typedefs and qualifiers.
const Type& stripped(const Type& type);

/// Empty for void, functions, arrays without a bound and the like.
std::optional<uint64_t> size_of(const Type& type);

/// As C writes it, in gdb's spelling: "struct node *", "int (*)(const char *)", "char [2][8]".
std::string type_name(const Type& type);

[[nodiscard]] bool is_integer(const Type& stripped_type);
[[nodiscard]] bool is_record(const Type& stripped_type);
/// char in any signedness, but not int8_t's of other names: what strings consist of.
[[nodiscard]] bool is_character(const Type& stripped_type);

}  // namespace twinrun
