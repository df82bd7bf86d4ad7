// SPDX-License-Identifier: MIT
#include "program/value_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace twinrun {
namespace {

template <typename T>
T load(ByteSpan bytes) {
  T out{};
  std::memcpy(&out, bytes.data(), std::min(sizeof out, bytes.size()));
  return out;
}

template <typename T>
std::string format_float(T value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value);
}

std::string format_floating(const Type& type, ByteSpan bytes) {
  switch (bytes.size()) {
    case 4: return format_float(load<float>(bytes));
    case 8: return format_float(load<double>(bytes));
    case 16:
      // An x87 number has 10 bytes; other types of 16 bytes are named so.
      if (type.name == "long double") {
        long double value = 0;
        std::memcpy(&value, bytes.data(), 10);
        return format_float(value);
      }
      [[fallthrough]];
    default: return fmt::format("<a floating-point number of {} bytes>", bytes.size());
  }
}

// The text of characters up to the end or the limit; trailing zeros of an array are its padding.
std::string quoted(ByteSpan characters, bool is_cut) {
  std::string out = "\"";
  for (size_t i = 0; i < characters.size(); ++i) out += quote_character(characters[i], '"');
  return out + (is_cut ? "\"..." : "\"");
}

std::string format_array_text(ByteSpan bytes, const FormatOptions& options) {
  size_t length = bytes.size();
  while (length > 0 && bytes[length - 1] == 0) --length;
  const bool is_cut = length > options.most_characters;
  return quoted(bytes.first(is_cut ? options.most_characters : length), is_cut);
}

// A string in memory, read in pieces that do not cross pages.
std::optional<std::string> string_at(uint64_t address, const ValueSource& source,
                                     const FormatOptions& options) {
  Bytes text;
  constexpr uint64_t kPage = 4096;
  while (text.size() <= options.most_characters) {
    uint64_t size = std::min<uint64_t>(kPage - address % kPage, 64);
    Bytes part(size);
    if (!source.memory(address, part)) {
      // Near the end of what is known: byte by byte.
      part.resize(1);
      size = 1;
      if (!source.memory(address, part)) {
        if (text.empty()) return std::nullopt;
        return quoted(text, true);
      }
    }
    const auto end = std::find(part.begin(), part.end(), 0);
    text.insert(text.end(), part.begin(), end);
    if (end != part.end()) {
      const bool is_cut = text.size() > options.most_characters;
      if (is_cut) text.resize(options.most_characters);
      return quoted(text, is_cut);
    }
    address += size;
  }
  text.resize(options.most_characters);
  return quoted(text, true);
}

// An enumeration whose values are disjoint bits (or 0) is a set of flags.
bool is_flags(const Type& type) {
  uint64_t seen = 0;
  for (const Enumerator& e : type.enumerators) {
    const auto value = static_cast<uint64_t>(e.value);
    if (e.value < 0 || (value & seen) != 0) return false;
    if (value != 0 && !std::has_single_bit(value)) return false;
    seen |= value;
  }
  return seen != 0;
}

std::string format_enum(const Type& type, uint64_t value) {
  for (const Enumerator& e : type.enumerators)
    if (static_cast<uint64_t>(e.value) == value) return e.name;
  if (!is_flags(type)) return fmt::format("{}", static_cast<int64_t>(value));
  if (value == 0) return "0";
  std::string out;
  uint64_t rest = value;
  for (const Enumerator& e : type.enumerators)
    if (e.value != 0 && (rest & static_cast<uint64_t>(e.value)) != 0) {
      out += (out.empty() ? "" : " | ") + e.name;
      rest &= ~static_cast<uint64_t>(e.value);
    }
  if (rest != 0) out += (out.empty() ? "" : " | ") + fmt::format("unknown: {:#x}", rest);
  return "(" + out + ")";
}

std::string format_integer(const Type& type, ByteSpan bytes) {
  const auto value = integer_value(type, bytes);
  if (!value) {
    // __int128: as one hexadecimal number.
    std::string out = "0x";
    for (size_t i = bytes.size(); i-- > 0;) out += fmt::format("{:02x}", bytes[i]);
    return out;
  }
  switch (type.kind) {
    case TypeKind::kBool:
      return *value == 0 ? "false" : *value == 1 ? "true" : fmt::format("{}", *value);
    case TypeKind::kEnum: return format_enum(type, *value);
    case TypeKind::kUnsigned: return fmt::format("{}", *value);
    case TypeKind::kSigned: return fmt::format("{}", static_cast<int64_t>(*value));
    default: break;
  }
  const std::string number = type.kind == TypeKind::kUnsignedChar
                                 ? fmt::format("{}", *value)
                                 : fmt::format("{}", static_cast<int64_t>(*value));
  if (bytes.size() != 1) return number;
  return number + " '" + quote_character(bytes[0], '\'') + "'";
}

class Formatter {
 public:
  Formatter(const ValueSource* source, const FormatOptions& options)
      : source_(source), options_(options) {}

  std::string format(const Type& type, ByteSpan bytes, int level) const {
    const Type& bare = stripped(type);
    if (bare.kind == TypeKind::kArray) return array(bare, bytes, level);
    if (is_record(bare)) return record(bare, bytes, level);
    if (bytes.empty()) return "<no value>";
    switch (bare.kind) {
      case TypeKind::kFloat: return format_floating(bare, bytes);
      case TypeKind::kPointer:
      case TypeKind::kReference:
      case TypeKind::kRvalueReference: return pointer(bare, bytes);
      case TypeKind::kUnknown:
      case TypeKind::kVoid:
      case TypeKind::kFunction: return "<a value of unknown type>";
      case TypeKind::kMemberPointer: return fmt::format("{:#x}", load<uint64_t>(bytes));
      default: return format_integer(bare, bytes);
    }
  }

 private:
  std::string pointer(const Type& type, ByteSpan bytes) const {
    const auto address = load<uint64_t>(bytes);
    std::string out = fmt::format("{:#x}", address);
    if (address == 0 || source_ == nullptr || type.target == nullptr ||
        type.kind != TypeKind::kPointer || !is_character(stripped(*type.target)))
      return out;
    if (const auto text = string_at(address, *source_, options_)) out += " " + *text;
    return out;
  }

  std::string array(const Type& type, ByteSpan bytes, int level) const {
    const Type& element = stripped(*type.target);
    if (is_character(element)) return format_array_text(bytes, options_);
    if (level > options_.levels) return "{...}";
    const uint64_t size = size_of(element).value_or(0);
    if (size == 0) return "{}";
    std::string out = "{";
    const size_t count = bytes.size() / size;
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) out += ", ";
      if (i == options_.most_elements) {
        out += "...";
        break;
      }
      out += format(element, bytes.subspan(i * size, size), level + 1);
    }
    return out + "}";
  }

  std::string record(const Type& type, ByteSpan bytes, int level) const {
    if (level > options_.levels) return "{...}";
    if (type.is_declaration) return "<incomplete type>";
    std::string out = "{";
    size_t shown = 0;
    for (const Member& member : type.members) {
      if (shown > 0) out += ", ";
      if (shown++ == options_.most_elements) {
        out += "...";
        break;
      }
      if (!member.name.empty()) out += member.name + " = ";
      if (member.is_base) out += fmt::format("<{}> = ", type_name(*member.type));
      out += this->member(member, bytes, level);
    }
    return out + "}";
  }

  std::string member(const Member& member, ByteSpan bytes, int level) const {
    const uint64_t size = size_of(*member.type).value_or(0);
    if (!member.offset || *member.offset > bytes.size()) return "<unavailable>";
    const ByteSpan rest = bytes.subspan(*member.offset);
    if (member.bit_size != 0) {
      const auto bits = bit_field_value(member, rest);
      return bits ? format(*member.type, *bits, level + 1) : "<unavailable>";
    }
    if (size > rest.size()) return "<unavailable>";
    return format(*member.type, rest.first(size), level + 1);
  }

  const ValueSource* source_;
  const FormatOptions& options_;
};

}  // namespace

std::string quote_character(uint8_t character, char quote) {
  switch (character) {
    case '\a': return "\\a";
    case '\b': return "\\b";
    case '\t': return "\\t";
    case '\n': return "\\n";
    case '\v': return "\\v";
    case '\f': return "\\f";
    case '\r': return "\\r";
    case 27: return "\\033";
    case '\\': return "\\\\";
    default: break;
  }
  if (character == static_cast<uint8_t>(quote)) return std::string("\\") + quote;
  if (character < 0x20 || character >= 0x7f) return fmt::format("\\{:03o}", character);
  return std::string(1, static_cast<char>(character));
}

std::optional<uint64_t> integer_value(const Type& type, ByteSpan bytes) {
  const Type& bare = stripped(type);
  const bool is_pointer = bare.kind == TypeKind::kPointer || bare.kind == TypeKind::kReference ||
                          bare.kind == TypeKind::kRvalueReference;
  if ((!is_integer(bare) && !is_pointer) || bytes.empty() || bytes.size() > 8) return std::nullopt;
  auto value = load<uint64_t>(bytes);
  bool is_signed = bare.kind == TypeKind::kSigned || bare.kind == TypeKind::kSignedChar;
  if (bare.kind == TypeKind::kEnum) {
    const Type& integer = bare.target != nullptr ? stripped(*bare.target) : bare;
    is_signed = integer.kind == TypeKind::kSigned || integer.kind == TypeKind::kSignedChar;
    // Without an integer of its own, negative values show that it is signed.
    for (const Enumerator& e : bare.enumerators) is_signed |= e.value < 0;
  }
  const unsigned shift = 64 - 8 * static_cast<unsigned>(bytes.size());
  if (is_signed && shift > 0)
    value = static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
  return value;
}

std::optional<Bytes> bit_field_value(const Member& member, ByteSpan bytes) {
  const uint64_t size = size_of(*member.type).value_or(0);
  const uint32_t last = member.bit_offset + member.bit_size;
  if (size == 0 || size > 8 || member.bit_size > size * 8 || (last + 7) / 8 > bytes.size())
    return std::nullopt;
  uint64_t value = 0;
  for (uint32_t i = 0; i < member.bit_size; ++i) {
    const uint32_t bit = member.bit_offset + i;
    value |= static_cast<uint64_t>(bytes[bit / 8] >> (bit % 8) & 1) << i;
  }
  const TypeKind kind = stripped(*member.type).kind;
  const bool is_signed = kind == TypeKind::kSigned || kind == TypeKind::kSignedChar;
  if (is_signed && member.bit_size < 64 && (value >> (member.bit_size - 1) & 1) != 0)
    value |= ~uint64_t{0} << member.bit_size;
  Bytes out(size);
  std::memcpy(out.data(), &value, size);
  return out;
}

std::string format_value(const Type& type, ByteSpan bytes, const ValueSource* source,
                         const FormatOptions& options) {
  return Formatter(source, options).format(type, bytes, 0);
}

std::string format_object(const Type& type, const Location& location, const ValueSource& source,
                          const FormatOptions& options) {
  const auto size = size_of(type);
  if (!size) {
    const bool has_no_bound = stripped(type).kind == TypeKind::kArray;
    return has_no_bound ? "<an array of unknown size>" : "<a value of unknown size>";
  }
  const ReadBytes read = read_location(location, *size, source);
  if (!read.bytes) return "<" + read.reason + ">";
  return format_value(type, *read.bytes, &source, options);
}

}  // namespace twinrun
