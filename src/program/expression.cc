// SPDX-License-Identifier: MIT
// Simple C expressions by recursive descent:
//
//   unary   = "*" unary | postfix
//   postfix = primary { "." name | "->" name | "[" index "]" }
//   primary = name | "(" unary ")"
//   index   = number | unary
#include "program/naming.h"
#include "program/value_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace twinrun {
namespace {

constexpr int kMostNesting = 64;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Parser {
 public:
  Parser(DebugInfo& info, uint64_t pc, const ValueSource& source, std::string_view text)
      : info_(info), pc_(pc), source_(source), text_(text) {}

  Result<Object> whole() {
    TRY(Object out, unary());
    skip_blanks();
    if (at_ != text_.size()) return error("an operator or the end is expected");
    return out;
  }

 private:
  std::unexpected<Error> error(const std::string& what) const {
    return fail("P003", "cannot evaluate \"{}\" at character {}: {}", text_, at_ + 1, what);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string word() {
    skip_blanks();
    const size_t from = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  Result<Object> unary() {
    if (++nesting_ > kMostNesting) return error("it is nested too deep");
    if (!accept("*")) return postfix();
    TRY(const Object pointer, unary());
    return pointee(pointer, 0);
  }

  Result<Object> postfix() {
    TRY(Object out, primary());
    while (true) {
      if (accept("->")) {
        TRY(out, pointee(out, 0));
        TRY(out, member(out));
      } else if (accept(".")) {
        TRY(out, member(out));
      } else if (accept("[")) {
        TRY(const int64_t index, index_value());
        if (!accept("]")) return error("] is expected");
        TRY(out, element(out, index));
      } else {
        return out;
      }
    }
  }

  Result<Object> primary() {
    if (accept("(")) {
      TRY(Object out, unary());
      if (!accept(")")) return error(") is expected");
      return out;
    }
    const std::string name = word();
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0)
      return error("a name is expected");
    for (const Variable& variable : info_.variables_at(pc_))
      if (variable.name == name)
        return object(info_.locate(variable, pc_, source_), *variable.type);
    if (const auto global = info_.find_global(name))
      return object(info_.locate(*global, pc_, source_), *global->type);
    return error(fmt::format("there is no {} here", name));
  }

  // A reference stands for what it refers to.
  Result<Object> object(Location location, const Type& type) {
    const Type& bare = stripped(type);
    Object out{std::move(location), &type};
    if (bare.kind != TypeKind::kReference && bare.kind != TypeKind::kRvalueReference) return out;
    TRY(const uint64_t address, number(out));
    return Object{Location::in_memory(address), bare.target};
  }

  Result<uint64_t> number(const Object& object) {
    const auto size = size_of(*object.type);
    if (!size) return error("it has no known size");
    if (object.bit_size != 0) return error("a bit-field cannot be used here");
    const ReadBytes read = read_location(object.location, *size, source_);
    if (!read.bytes) return error(fmt::format("its value is not available: {}", read.reason));
    const auto value = integer_value(*object.type, *read.bytes);
    if (!value) return error(fmt::format("its type is {}", type_name(*object.type)));
    return *value;
  }

  Result<Object> pointee(const Object& pointer, int64_t index) {
    const Type& bare = stripped(*pointer.type);
    if (bare.kind == TypeKind::kArray) return element(pointer, index);
    if (bare.kind != TypeKind::kPointer || bare.target == nullptr)
      return error(fmt::format("{} is no pointer", type_name(*pointer.type)));
    TRY(const uint64_t address, number(pointer));
    const auto step = size_of(*bare.target);
    if (index != 0 && !step) return error("the size of what it points to is not known");
    const uint64_t offset = static_cast<uint64_t>(index) * step.value_or(0);
    return object(Location::in_memory(address + offset), *bare.target);
  }

  Result<Object> element(const Object& array, int64_t index) {
    const Type& bare = stripped(*array.type);
    if (bare.kind != TypeKind::kArray) return pointee(array, index);
    const auto step = size_of(*bare.target);
    if (!step) return error("the size of its elements is not known");
    if (array.location.kind != Location::Kind::kMemory &&
        (index < 0 || (bare.count && static_cast<uint64_t>(index) >= *bare.count)))
      return error("the index is outside of the array");
    return object(array.location.part(static_cast<uint64_t>(index) * *step), *bare.target);
  }

  // The member of this name, also of anonymous members and bases.
  Result<Object> member(const Object& record) {
    const std::string name = word();
    if (name.empty()) return error("the name of a member is expected");
    const Type& bare = stripped(info_.complete(*record.type));
    if (!is_record(bare)) return error(fmt::format("{} has no members", type_name(*record.type)));
    if (const auto found = find_member(record, bare, name, 0)) {
      if (found->bit_size != 0) return *found;
      return object(found->location, *found->type);
    }
    return error(fmt::format("{} has no member {}", type_name(*record.type), name));
  }

  static std::optional<Object> find_member(const Object& record, const Type& type,
                                           const std::string& name, int nesting) {
    if (nesting > kMostNesting) return std::nullopt;
    for (const Member& member : type.members) {
      if (!member.offset) continue;
      const Object part{record.location.part(*member.offset), member.type, member.bit_offset,
                        member.bit_size};
      if (member.name == name) return part;
      const Type& bare = stripped(*member.type);
      if (member.name.empty() && is_record(bare))
        if (auto found = find_member(part, bare, name, nesting + 1)) return found;
    }
    return std::nullopt;
  }

  Result<int64_t> index_value() {
    skip_blanks();
    const size_t from = at_;
    const bool is_negative = accept("-");
    skip_blanks();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      std::string digits = word();
      const int base = digits.starts_with("0x") ? 16 : 10;
      if (base == 16) digits.erase(0, 2);
      int64_t value = 0;
      const auto [end, problem] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
      if (problem != std::errc() || end != digits.data() + digits.size())
        return error("a number is expected");
      return is_negative ? -value : value;
    }
    if (is_negative) {
      at_ = from;
      return error("a number is expected");
    }
    TRY(const Object index, unary());
    if (!is_integer(stripped(*index.type)))
      return error(fmt::format("{} is no integer", type_name(*index.type)));
    TRY(const uint64_t value, number(index));
    return static_cast<int64_t>(value);
  }

  DebugInfo& info_;
  uint64_t pc_;
  const ValueSource& source_;
  std::string_view text_;
  size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

Result<Object> resolve_expression(DebugInfo& info, uint64_t pc, const ValueSource& source,
                                  std::string_view text) {
  return Parser(info, pc, source, text).whole();
}

std::string format_named(const Object& object, const ValueSource& source) {
  if (object.bit_size == 0) return format_object(*object.type, object.location, source);
  const Member member{"", object.type, 0, object.bit_offset, object.bit_size};
  const ReadBytes read =
      read_location(object.location, (object.bit_offset + object.bit_size + 7) / 8, source);
  if (!read.bytes) return "<" + read.reason + ">";
  const auto bits = bit_field_value(member, *read.bytes);
  return bits ? format_value(*object.type, *bits, &source) : "<unavailable>";
}

}  // namespace twinrun
