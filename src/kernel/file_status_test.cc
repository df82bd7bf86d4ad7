// SPDX-License-Identifier: MIT
#include "kernel/file_status.h"

#include "kernel/syscalls.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace twinrun {
namespace {

TEST(FileStatus, NamesTheMemberThatAnAddressIsIn) {
  EXPECT_EQ(told_of_file(sys::kFstat, {3, 0x1000}, 0x1000 + 48).name, kFileSize);
  EXPECT_EQ(told_of_file(sys::kFstat, {3, 0x1000}, 0x1000 + 55).name, kFileSize);
  EXPECT_EQ(told_of_file(sys::kFstat, {3, 0x1000}, 0x1000 + 56).name, "the block size");
  EXPECT_EQ(told_of_file(sys::kNewfstatat, {0, 1, 0x1000}, 0x1000 + 88).name,
            "the time of the last change");
  EXPECT_EQ(told_of_file(sys::kStatx, {0, 1, 2, 3, 0x1000}, 0x1000 + 40).name, kFileSize);
}

TEST(FileStatus, TellsWhereTheWholeMemberIs) {
  const ToldOfFile size = told_of_file(sys::kFstat, {3, 0x1000}, 0x1000 + 50);
  EXPECT_EQ(size.begin, 0x1000 + 48);
  EXPECT_EQ(size.end, 0x1000 + 56);
}

TEST(FileStatus, NamesNothingThatIsNotOfAFile) {
  EXPECT_EQ(told_of_file(sys::kFstat, {3, 0x1000}, 0x1000 - 8).name, "");
  EXPECT_EQ(told_of_file(sys::kFstat, {3, 0x1000}, 0x1000 + 200).name, "");
  EXPECT_EQ(told_of_file(sys::kRead, {3, 0x1000}, 0x1000).name, "");
  EXPECT_EQ(told_of_file(sys::kFstat, {3, 0x1000}, std::nullopt).name, "");
}

TEST(FileStatus, WhereASeekToTheEndComesIsTheSize) {
  EXPECT_EQ(told_of_file(sys::kLseek, {3, 0, SEEK_END}, std::nullopt).name, kFileSize);
  EXPECT_EQ(told_of_file(sys::kLseek, {3, 0, SEEK_CUR}, std::nullopt).name, "the position");
  // As the program asked for it.
  EXPECT_EQ(told_of_file(sys::kLseek, {3, 7, SEEK_SET}, std::nullopt).name, "");
}

TEST(FileStatus, AFileIsAskedByNumberOrByPath) {
  EXPECT_EQ(asked_descriptor(sys::kFstat, {3}, ""), 3);
  EXPECT_EQ(asked_descriptor(sys::kNewfstatat, {4}, ""), 4);
  EXPECT_EQ(asked_descriptor(sys::kNewfstatat, {4}, "a"), std::nullopt);
  EXPECT_EQ(asked_descriptor(sys::kStat, {4}, "a"), std::nullopt);
}

}  // namespace
}  // namespace twinrun
