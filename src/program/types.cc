// SPDX-License-Identifier: MIT
#include "program/types.h"

namespace twinrun {
namespace {

// Longer chains of aliases, pointers or dimensions are damage (or circles).
constexpr int kMostLinks = 64;

bool is_alias(TypeKind kind) {
  return kind == TypeKind::kTypedef || kind == TypeKind::kConst || kind == TypeKind::kVolatile ||
         kind == TypeKind::kRestrict || kind == TypeKind::kAtomic;
}

std::string qualifier(TypeKind kind) {
  switch (kind) {
    case TypeKind::kConst: return "const";
    case TypeKind::kVolatile: return "volatile";
    case TypeKind::kRestrict: return "restrict";
    default: return "_Atomic";
  }
}

bool is_pointer_like(TypeKind kind) {
  return kind == TypeKind::kPointer || kind == TypeKind::kReference ||
         kind == TypeKind::kRvalueReference;
}

// A name in front of what stands behind it: "char" and "*p" give "char *p".
std::string join(const std::string& head, const std::string& tail) {
  return tail.empty() ? head : head + " " + tail;
}

std::string tagged(const Type& type) {
  const char* tag = "";
  if (!type.is_cplusplus || type.name.empty()) switch (type.kind) {
      case TypeKind::kStruct: tag = "struct "; break;
      case TypeKind::kClass: tag = "class "; break;
      case TypeKind::kUnion: tag = "union "; break;
      case TypeKind::kEnum: tag = "enum "; break;
      default: break;
    }
  return tag + (type.name.empty() ? std::string("{...}") : type.name);
}

bool elements_are(const Type& array, TypeKind qualified) {
  const Type* at = &array;
  for (int links = 0; at != nullptr && links < kMostLinks; ++links) {
    if (at->kind == qualified) return true;
    if (at->kind != TypeKind::kArray && at->kind != TypeKind::kTypedef) return false;
    at = at->target;
  }
  return false;
}

std::string declare(const Type& type, const std::string& inner, int depth);

std::string parameters_of(const Type& type, int depth) {
  std::string out;
  for (const Type* parameter : type.parameters)
    out += (out.empty() ? "" : ", ") + declare(*parameter, "", depth);
  if (type.is_variadic) out += out.empty() ? "..." : ", ...";
  if (out.empty() && !type.is_cplusplus) out = "void";
  return "(" + (out.empty() ? "void" : out) + ")";
}

// C declarators grow around the name: pointers in front, arrays and parameters behind, with
// parentheses where a pointer meets one of those.
std::string declare(const Type& type, const std::string& inner, int depth) {
  if (depth > kMostLinks) return "...";
  const auto target = [&]() -> const Type& {
    static const Type kUnknown;
    return type.target != nullptr ? *type.target : kUnknown;
  };
  const auto in_parentheses = [&](const std::string& text) {
    const TypeKind kind = target().kind;
    return kind == TypeKind::kArray || kind == TypeKind::kFunction ? "(" + text + ")" : text;
  };
  switch (type.kind) {
    case TypeKind::kUnknown: return join(type.name.empty() ? "<unknown type>" : type.name, inner);
    case TypeKind::kVoid: return join("void", inner);
    case TypeKind::kPointer: return declare(target(), in_parentheses("*" + inner), depth + 1);
    case TypeKind::kReference: return declare(target(), in_parentheses("&" + inner), depth + 1);
    case TypeKind::kRvalueReference:
      return declare(target(), in_parentheses("&&" + inner), depth + 1);
    case TypeKind::kMemberPointer:
      return declare(target(), in_parentheses(type.name + "::*" + inner), depth + 1);
    case TypeKind::kArray:
      return declare(target(), inner + "[" + (type.count ? std::to_string(*type.count) : "") + "]",
                     depth + 1);
    case TypeKind::kFunction:
      // A function's own name stands before its parameters, an absent one leaves a blank.
      return declare(target(), inner + parameters_of(type, depth + 1), depth + 1);
    case TypeKind::kConst:
    case TypeKind::kVolatile:
    case TypeKind::kRestrict:
    case TypeKind::kAtomic: {
      const Type* under = type.target;
      std::string words = qualifier(type.kind);
      int links = 0;
      while (under != nullptr && under->kind != TypeKind::kTypedef && is_alias(under->kind) &&
             ++links < kMostLinks) {
        words += " " + qualifier(under->kind);
        under = under->target;
      }
      // A qualified array is one of qualified elements; compilers may say it twice.
      if (under != nullptr && under->kind == TypeKind::kArray && elements_are(*under, type.kind))
        return declare(*under, inner, depth + 1);
      // Of a pointer the qualifier stands behind the star, of all else in front.
      if (under != nullptr && is_pointer_like(under->kind))
        return declare(*under, join(words, inner), depth + 1);
      return words + " " +
             (under == nullptr ? join("void", inner) : declare(*under, inner, depth + 1));
    }
    case TypeKind::kStruct:
    case TypeKind::kClass:
    case TypeKind::kUnion:
    case TypeKind::kEnum: return join(tagged(type), inner);
    default: return join(type.name.empty() ? "<unnamed>" : type.name, inner);
  }
}

}  // namespace

const Type& stripped(const Type& type) {
  static const Type kUnknown;
  const Type* at = &type;
  for (int links = 0; is_alias(at->kind); ++links) {
    if (links == kMostLinks || at->target == nullptr) return kUnknown;
    at = at->target;
  }
  return *at;
}

std::optional<uint64_t> size_of(const Type& type) {
  uint64_t factor = 1;
  const Type* at = &type;
  for (int links = 0; links < kMostLinks; ++links) {
    at = &stripped(*at);
    if (at->kind != TypeKind::kArray) {
      uint64_t size = 0;
      if (!at->size || __builtin_mul_overflow(factor, *at->size, &size)) return std::nullopt;
      return size;
    }
    if (at->target == nullptr) return std::nullopt;
    if (!at->count) return std::nullopt;
    if (__builtin_mul_overflow(factor, *at->count, &factor)) return std::nullopt;
    at = at->target;
  }
  return std::nullopt;
}

std::string type_name(const Type& type) { return declare(type, "", 0); }

bool is_integer(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
    case TypeKind::kSigned:
    case TypeKind::kUnsigned:
    case TypeKind::kSignedChar:
    case TypeKind::kUnsignedChar:
    case TypeKind::kEnum: return true;
    default: return false;
  }
}

bool is_record(const Type& type) {
  return type.kind == TypeKind::kStruct || type.kind == TypeKind::kClass ||
         type.kind == TypeKind::kUnion;
}

bool is_character(const Type& type) {
  return (type.kind == TypeKind::kSignedChar || type.kind == TypeKind::kUnsignedChar) &&
         type.size == 1;
}

}  // namespace twinrun
