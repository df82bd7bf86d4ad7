// SPDX-License-Identifier: MIT
#include "report/typed.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(TypedValue, IsTheNumberThatATextBeginsWith) {
  EXPECT_EQ(typed_value("42"), 42);
  EXPECT_EQ(typed_value("-1"), -1);
  EXPECT_EQ(typed_value("0"), 0);
  EXPECT_EQ(typed_value("97 'a'"), 97);
  EXPECT_EQ(typed_value("0x4010 \"text\""), 0x4010);
  EXPECT_EQ(typed_value("0.5"), 0.5);
  EXPECT_EQ(typed_value("1e+30"), 1e30);
  EXPECT_EQ(typed_value("true"), true);
  EXPECT_EQ(typed_value("NULL"), 0);
}

TEST(TypedValue, KeepsAll64Bits) {
  EXPECT_EQ(typed_value("18446744073709551615"), ~uint64_t{0});
  EXPECT_EQ(typed_value("0xffffffffff600000"), 0xffffffffff600000);
  EXPECT_EQ(typed_value("-9223372036854775808"), INT64_MIN);
}

TEST(TypedValue, IsNullOfWhatIsNoNumber) {
  for (const char* text :
       {"", "\"42\"", "'4'", "{x = 1}", "<optimized out>", "0644", "-007", "12 kB", "12 ", "0x",
        "0xfg", "nan", "inf", "-inf", "kBlue", "18446744073709551616",
        "0x00112233445566778899aabbccddeeff", "3..5", "1.1.20"})
    EXPECT_TRUE(typed_value(text).is_null()) << text;
}

TEST(AddValue, TellsTheTextAndWhereThereIsOneTheNumber) {
  Json row;
  add_value(row, "value", "0x10");
  add_value(row, "other", "\"text\"");
  EXPECT_EQ(row.dump(), R"({"value":"0x10","value_typed":16,"other":"\"text\""})");
}

TEST(AddAddress, TellsBothForms) {
  Json row;
  add_address(row, "address", 0x401000);
  EXPECT_EQ(row.dump(), R"({"address":"0x401000","address_number":4198400})");
}

TEST(BytesJson, TellsMemoryFromRegisters) {
  EXPECT_EQ(bytes_json("0x1000:8").dump(), R"({"address":4096,"size":8})");
  EXPECT_EQ(bytes_json("eax").dump(), R"({"register":"eax"})");
}

TEST(MomentJson, HasThePartsOfAPosition) {
  EXPECT_EQ(moment_json({{3}, ThreadNo{2}, {12345}}).dump(),
            R"({"process":3,"thread":2,"step":12345})");
}

}  // namespace
}  // namespace twinrun
