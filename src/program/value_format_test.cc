// SPDX-License-Identifier: MIT
#include "program/value_format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace twinrun {
namespace {

Type scalar(TypeKind kind, uint64_t size, std::string name = "t") {
  Type out;
  out.kind = kind;
  out.size = size;
  out.name = std::move(name);
  return out;
}

Type array_of(const Type& element, uint64_t count) {
  Type out;
  out.kind = TypeKind::kArray;
  out.target = &element;
  out.count = count;
  return out;
}

template <typename T>
Bytes bytes_of(const T& value) {
  Bytes out(sizeof value);
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

template <typename T>
std::string shown(const Type& type, const T& value) {
  return format_value(type, bytes_of(value), nullptr);
}

const Type kInt = scalar(TypeKind::kSigned, 4, "int");
const Type kChar = scalar(TypeKind::kSignedChar, 1, "char");
const Type kByte = scalar(TypeKind::kUnsignedChar, 1, "unsigned char");
const Type kFloat = scalar(TypeKind::kFloat, 4, "float");
const Type kDouble = scalar(TypeKind::kFloat, 8, "double");

// One string in memory, at the end of what is known.
struct OneString : ValueSource {
  uint64_t at = 0x1000;
  std::string text;
  [[nodiscard]] std::optional<uint64_t> reg(unsigned /*number*/) const override { return {}; }
  [[nodiscard]] bool memory(uint64_t address, std::span<uint8_t> out) const override {
    const size_t size = text.size() + 1;
    if (address < at || address - at > size || out.size() > size - (address - at)) return false;
    std::memcpy(out.data(), text.c_str() + (address - at), out.size());
    return true;
  }
};

TEST(ValueFormat, ScalarsReadAsInGdb) {
  EXPECT_EQ(shown(kInt, -7), "-7");
  EXPECT_EQ(shown(scalar(TypeKind::kUnsigned, 8), ~uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(shown(kChar, 'a'), "97 'a'");
  EXPECT_EQ(shown(kChar, '\n'), "10 '\\n'");
  EXPECT_EQ(shown(kChar, static_cast<char>(-1)), "-1 '\\377'");
  EXPECT_EQ(shown(kByte, uint8_t{0}), "0 '\\000'");
  EXPECT_EQ(shown(kByte, uint8_t{'\''}), "39 '\\''");
  EXPECT_EQ(shown(scalar(TypeKind::kBool, 1), true), "true");
  EXPECT_EQ(shown(scalar(TypeKind::kBool, 1), uint8_t{7}), "7");
}

TEST(ValueFormat, FloatingPointReadsBackAsTheSameNumber) {
  EXPECT_EQ(shown(kDouble, 0.1), "0.1");
  EXPECT_EQ(shown(kFloat, 0.1f), "0.1");
  EXPECT_EQ(shown(kDouble, 1.0), "1");
  EXPECT_EQ(shown(kDouble, 1e300), "1e+300");
  EXPECT_EQ(shown(kDouble, -0.0), "-0");
  EXPECT_EQ(shown(kDouble, -std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(shown(kDouble, std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(shown(scalar(TypeKind::kFloat, 16, "long double"), 0.5L), "0.5");
  EXPECT_EQ(shown(scalar(TypeKind::kFloat, 16, "_Float128"), 0.5L),
            "<a floating-point number of 16 bytes>");
}

TEST(ValueFormat, EnumerationsGoByName) {
  Type color = scalar(TypeKind::kEnum, 4, "color");
  color.enumerators = {{"kRed", 0}, {"kGreen", 5}, {"kBlue", 6}};
  EXPECT_EQ(shown(color, 6), "kBlue");
  EXPECT_EQ(shown(color, 3), "3");
  Type mask = scalar(TypeKind::kEnum, 4, "mask");
  mask.enumerators = {{"kRead", 1}, {"kWrite", 2}, {"kRun", 4}};
  EXPECT_EQ(shown(mask, 5), "(kRead | kRun)");
  EXPECT_EQ(shown(mask, 9), "(kRead | unknown: 0x8)");
  EXPECT_EQ(shown(mask, 0), "0");
  Type negative = scalar(TypeKind::kEnum, 4, "n");
  negative.enumerators = {{"kMinus", -1}};
  EXPECT_EQ(shown(negative, -1), "kMinus");
}

TEST(ValueFormat, PointersShowTheStringsTheyPointTo) {
  Type pointer = scalar(TypeKind::kPointer, 8);
  pointer.target = &kChar;
  OneString memory;
  memory.text = "say \"hi\"\n";
  const auto of = [&](uint64_t address) {
    return format_value(pointer, bytes_of(address), &memory);
  };
  EXPECT_EQ(of(0x1000), R"(0x1000 "say \"hi\"\n")");
  EXPECT_EQ(of(0x1004), R"(0x1004 "\"hi\"\n")");
  EXPECT_EQ(of(0), "0x0");
  EXPECT_EQ(of(0x5000), "0x5000");
  memory.text = std::string(5000, 'x');
  EXPECT_EQ(of(0x1000), "0x1000 \"" + std::string(200, 'x') + "\"...");
  Type to_int = pointer;
  to_int.target = &kInt;
  EXPECT_EQ(format_value(to_int, bytes_of(uint64_t{0x1000}), &memory), "0x1000");
}

TEST(ValueFormat, ArraysAndRecordsAreShownOneLevelDeep) {
  const Type text = array_of(kChar, 8);
  EXPECT_EQ(format_value(text, Bytes{'a', 'b', 0, 0, 0, 0, 0, 0}, nullptr), "\"ab\"");
  EXPECT_EQ(format_value(text, Bytes{'a', 0, 'b', 0, 0, 0, 0, 0}, nullptr), "\"a\\000b\"");
  const Type numbers = array_of(kInt, 3);
  EXPECT_EQ(shown(numbers, std::array{1, -2, 3}), "{1, -2, 3}");
  const Type many = array_of(kByte, 40);
  Type plain_byte = scalar(TypeKind::kUnsigned, 1);
  const Type bytes = array_of(plain_byte, 40);
  EXPECT_EQ(format_value(bytes, Bytes(40, 1), nullptr, {.most_elements = 2}), "{1, 1, ...}");
  EXPECT_EQ(size_of(many), 40u);

  Type inner = scalar(TypeKind::kStruct, 4, "inner");
  inner.members = {{.name = "v", .type = &kInt, .offset = 0}};
  Type middle = scalar(TypeKind::kStruct, 4, "middle");
  middle.members = {{.name = "i", .type = &inner, .offset = 0}};
  Type outer = scalar(TypeKind::kStruct, 12, "outer");
  outer.members = {{.name = "x", .type = &kInt, .offset = 0},
                   {.name = "low", .type = &kInt, .offset = 4, .bit_offset = 0, .bit_size = 3},
                   {.name = "high", .type = &kInt, .offset = 4, .bit_offset = 3, .bit_size = 5},
                   {.name = "m", .type = &middle, .offset = 8}};
  EXPECT_EQ(shown(outer, std::array{1, 0x2b, 9}), "{x = 1, low = 3, high = 5, m = {i = {...}}}");
  outer.members[3].offset = 400;
  EXPECT_EQ(shown(outer, std::array{1, 0xff, 9}),
            "{x = 1, low = -1, high = -1, m = <unavailable>}");
}

TEST(ValueFormat, WhatIsUnavailableSaysWhy) {
  const OneString memory;
  EXPECT_EQ(format_object(kInt, Location::unavailable("optimized out"), memory), "<optimized out>");
  EXPECT_EQ(format_object(kInt, Location::in_memory(5), memory), "<memory at 0x5 is not known>");
  Type open = array_of(kInt, 0);
  open.count.reset();
  EXPECT_EQ(format_object(open, Location::in_memory(5), memory), "<an array of unknown size>");
  EXPECT_EQ(format_object(array_of(kInt, uint64_t{1} << 40), Location::in_memory(5), memory),
            "<it is too large>");
}

TEST(TypeName, IsSpelledAsInC) {
  const auto pointer_to = [](const Type& target) {
    Type out = scalar(TypeKind::kPointer, 8, "");
    out.target = &target;
    return out;
  };
  const auto wrapped = [](TypeKind kind, const Type& target) {
    Type out;
    out.kind = kind;
    out.target = &target;
    return out;
  };
  Type node = scalar(TypeKind::kStruct, 8, "node");
  const Type node_pointer = pointer_to(node);
  const Type const_char = wrapped(TypeKind::kConst, kChar);
  const Type text = pointer_to(const_char);
  const Type const_text = wrapped(TypeKind::kConst, text);
  const Type row = array_of(kChar, 8);
  const Type grid = array_of(row, 2);
  const Type to_row = pointer_to(row);
  Type function = wrapped(TypeKind::kFunction, kInt);
  function.parameters = {&text, &node_pointer};
  const Type to_function = pointer_to(function);
  const Type table = array_of(to_function, 3);
  Type nothing;
  nothing.kind = TypeKind::kVoid;
  EXPECT_EQ(type_name(node_pointer), "struct node *");
  EXPECT_EQ(type_name(text), "const char *");
  EXPECT_EQ(type_name(const_text), "const char *const");
  EXPECT_EQ(type_name(grid), "char [2][8]");
  EXPECT_EQ(type_name(to_row), "char (*)[8]");
  EXPECT_EQ(type_name(to_function), "int (*)(const char *, struct node *)");
  EXPECT_EQ(type_name(table), "int (*[3])(const char *, struct node *)");
  EXPECT_EQ(type_name(pointer_to(nothing)), "void *");
  function.parameters.clear();
  function.is_variadic = true;
  EXPECT_EQ(type_name(to_function), "int (*)(...)");
  node.is_cplusplus = true;
  EXPECT_EQ(type_name(node_pointer), "node *");
}

TEST(TypeName, CirclesEnd) {
  Type a;
  Type b;
  a.kind = b.kind = TypeKind::kTypedef;
  a.target = &b;
  b.target = &a;
  EXPECT_EQ(stripped(a).kind, TypeKind::kUnknown);
  EXPECT_EQ(size_of(a), std::nullopt);
  a.kind = b.kind = TypeKind::kPointer;
  EXPECT_FALSE(type_name(a).empty());
  a.kind = b.kind = TypeKind::kConst;
  EXPECT_FALSE(type_name(a).empty());
  a.kind = b.kind = TypeKind::kArray;
  a.count = b.count = 3;
  EXPECT_EQ(size_of(a), std::nullopt);
}

}  // namespace
}  // namespace twinrun
