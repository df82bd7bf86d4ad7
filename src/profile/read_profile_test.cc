// SPDX-License-Identifier: MIT
#include "profile/read_profile.h"

#include "profile/profile_samples.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

using Branch = AddressProfile::Branch;
constexpr uint64_t kOut = AddressProfile::kElsewhere;

class ReadProfile : public testing::Test {
 protected:
  Result<AddressProfile> read(std::string_view text, ProfileFormat format) {
    return read_profile(text, format, subject_);
  }
  /// Of a text that is malformed.
  std::string message(std::string_view text, ProfileFormat format) {
    const auto result = read(text, format);
    if (result) return "no error";
    return result.error().code + ": " + result.error().message;
  }

  ModuleCode binary_ = sample_binary();
  BoltNames names_ = sample_names(binary_);
  ProfileSubject subject_{binary_, names_, {}};
};

TEST_F(ReadProfile, FormatsAreFoundOutByTheirFirstLines) {
  const auto detect = [](std::string_view text) {
    const auto found = detect_profile_format(text);
    return found ? profile_format_name(*found) : std::string_view("none");
  };
  EXPECT_EQ(detect("# callgrind format\nversion: 1\n"), "callgrind");
  EXPECT_EQ(detect("version: 1\ncmd: x\n\npositions: instr line\nevents: Ir\n"), "callgrind");
  EXPECT_EQ(detect("1 main 3fb 0 /lib/ld.so 12 4 221\n"), "fdata");
  EXPECT_EQ(detect("no_lbr cycles\n1 main 3 4\n"), "fdata");
  EXPECT_EQ(detect("B 4b196f X:0 3 0\n"), "preagg");
  EXPECT_EQ(detect("\nT 4b196f 4b19e0 4b19ef 2\n"), "preagg");
  EXPECT_EQ(detect("2\n1000-1010:3\n"), "autofdo");
  EXPECT_EQ(detect("prog 12 1.5: 250 cycles:u: 401136 main (/bin/prog)\n"), "perf-script");
  EXPECT_EQ(detect(" 401136 0x401150/0x401130/P/-/-/0\n"), "perf-script");
  EXPECT_EQ(detect(""), "none");
  EXPECT_EQ(detect("hello world\n"), "none");
}

TEST_F(ReadProfile, CallgrindWithCompression) {
  const auto profile = read(
      "# callgrind format\npositions: instr line\nevents: Dr Ir\n\n"
      "ob=(1) /elsewhere/sample\nfl=(1) a.c\nfn=(1) f\n"
      "0x1000 5 0 2\n"
      "+2 +1 1 7\n"
      "cob=(2) /lib/libc.so\ncfn=(2) puts\ncalls=3 0x50 0\n* * 90\n"
      "cfn=(3) g\ncalls=4 +30 9\n* * 1\n"
      "+5 * 7\n"  // fewer costs than events
      "+2 * 0 7\njcnd=2/7 +8 +1\n* *\n"
      "ob=(2)\nfn=(2)\n0x50 0 99 99\ncob=(1)\ncfn=(1)\ncalls=2 0x1000 5\n* * 9\n"
      "part: 2\nob=(1)\nfn=(1)'2\n0x1000 5 0 1\n",
      ProfileFormat::kCallgrind);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(profile->is_exact);
  EXPECT_EQ(profile->hits,
            (std::vector<AddressProfile::Hits>{{0x1000, 3}, {0x1002, 7}, {0x1009, 7}}));
  EXPECT_EQ(profile->branches,
            (std::vector<Branch>{
                {0x1002, 0x1020, 4}, {0x1002, kOut, 3}, {0x1009, 0x1011, 2}, {kOut, 0x1000, 2}}));
}

TEST_F(ReadProfile, CallgrindErrorsTellTheLine) {
  const auto kFormat = ProfileFormat::kCallgrind;
  EXPECT_EQ(message("positions: line\nevents: Ir\n1 2\n", kFormat),
            "F003: the profile has no addresses of instructions");
  EXPECT_EQ(message("events: Ir\n12 5\n", kFormat),
            "F003: the profile has no addresses of instructions");
  const std::string head = "positions: instr\nevents: Ir\nob=sample\n";
  EXPECT_EQ(message(head + "0x10 x\n", kFormat), "F002: line 4: 'x' is no cost");
  EXPECT_EQ(message(head + "ob=(7)\n", kFormat), "F002: line 4: (7) was given no name");
  EXPECT_EQ(message(head + "jump=a 0x1\n", kFormat), "F002: line 4: 'a' is no count");
  EXPECT_EQ(message(head + "jump=1 z\n", kFormat), "F002: line 4: 'z' is no position");
  EXPECT_EQ(message(head + "jump=1 0x1\nfn=x\n", kFormat),
            "F002: line 5: the place of a call or jump is missing");
  EXPECT_EQ(message(head + "what\n", kFormat), "F002: line 4: 'what' is no line of callgrind");
  EXPECT_EQ(message("positions: instr\nevents: Ir\nob=other\n0x1 1\n", kFormat),
            "F005: the profile tells nothing of /bin/sample");
}

TEST_F(ReadProfile, Fdata) {
  const auto profile = read(
      "1 f 9 1 f 11 1 5\n2 g 0 0 [unknown] 0 0 2\n1 g/1 3 1 f 7 0 4\n1 g/a.c/1 3 1 f 7 0 1\n"
      "0 [heap\\ x] 5 1 f 0 0 3\n4 f 9 4 f 9 3\n1 no\\ such 1 1 f 0 0 6\n",
      ProfileFormat::kFdata);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(
      profile->branches,
      (std::vector<Branch>{
          {0x1009, 0x1011, 5, 1}, {0x1020, kOut, 2}, {0x1023, 0x1007, 5}, {kOut, 0x1000, 3}}));
  EXPECT_EQ(profile->unresolved, 6U);
  const auto samples = read("no_lbr cycles\n1 f 7 12\n", ProfileFormat::kFdata);
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->hits, (std::vector<AddressProfile::Hits>{{0x1007, 12}}));
  EXPECT_EQ(message("1 f 9 1 f 11 1 5\n1 f zz 1 f 11 1 5\n", ProfileFormat::kFdata),
            "F002: line 2: 'zz' is no hexadecimal offset");
  EXPECT_EQ(message("9 f 9 1 f 11 1 5\n", ProfileFormat::kFdata),
            "F002: line 1: '9' is no kind of place (0 to 5)");
  EXPECT_EQ(message("1 f 9 1 f 11 1\n", ProfileFormat::kFdata), "F002: line 1: '' is no count");
  EXPECT_EQ(message("1 f 9 1 f 11 1 5 6\n", ProfileFormat::kFdata),
            "F002: line 1: '6' is too much");
}

TEST_F(ReadProfile, Preaggregated) {
  const auto profile = read(
      "E cycles\nB 1002 1020 8 1\nB X:0 1000 3 0\nF 1000 1002 3\nf 1007 1009 1\n"
      "T 100d 1002 1002 5\nB abcd:1002 1020 8 1\nS 1011 4\n",
      ProfileFormat::kPreaggregated);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(
      profile->branches,
      (std::vector<Branch>{
          {0x1002, 0x1020, 8, 1}, {0x100d, 0x1002, 5}, {kOut, 0x1000, 3}, {kOut, 0x1020, 8, 1}}));
  EXPECT_EQ(profile->ranges.size(), 3U);
  EXPECT_EQ(profile->hits.size(), 1U);
  EXPECT_EQ(message("B 1 2 3\n", ProfileFormat::kPreaggregated), "F002: line 1: '' is no count");
  EXPECT_EQ(message("\nQ 1 2 3\n", ProfileFormat::kPreaggregated),
            "F002: line 2: 'Q' is no kind of line (B, F, f, r, T, R, S or E)");
}

TEST_F(ReadProfile, Autofdo) {
  const auto profile =
      read("1\n1000-1002:3\n1\n1000:4\n2\n1009->1011:3\n100d->1002:5\n", ProfileFormat::kAutofdo);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->ranges, (std::vector<AddressProfile::Range>{{0x1000, 0x1002, 3}}));
  EXPECT_EQ(profile->branches.size(), 2U);
  EXPECT_EQ(message("2\n1000-1002:3\n", ProfileFormat::kAutofdo),
            "F002: line 2: only 1 of 2 ranges follow");
  EXPECT_EQ(message("1\n1000:3\n0\n0\n", ProfileFormat::kAutofdo),
            "F002: line 2: '1000:3' is not of the form FROM-TO:COUNT");
}

TEST_F(ReadProfile, TextsOfAnySizeAreQuotedInPart) {
  const std::string text = message("1 " + std::string(5000, 'x') + "\n", ProfileFormat::kFdata);
  EXPECT_LT(text.size(), 200U);
}

}  // namespace
}  // namespace twinrun
