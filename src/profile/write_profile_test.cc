// SPDX-License-Identifier: MIT
#include "profile/write_profile.h"

#include "profile/count_code.h"
#include "profile/profile_samples.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace twinrun {
namespace {

// The counts alone: how they are known depends on the format.
CodeCounts only_values(CodeCounts counts) {
  const auto plain = [](Count& count) {
    count = {count.value, CountSource::kMeasured, Strength::kExact};
  };
  for (FunctionCounts& function : counts.functions) {
    plain(function.entries);
    std::ranges::for_each(function.blocks, plain);
    std::ranges::for_each(function.edges, plain);
  }
  return counts;
}

RC_GTEST_PROP(WriteProfile, WhatIsWrittenReadsTheSame, ()) {
  const uint64_t entries = *rc::gen::inRange<uint64_t>(1, 1000);
  const uint64_t turns = *rc::gen::inRange<uint64_t>(0, 1000);
  const ModuleCode binary = sample_binary();
  const BoltNames names = sample_names(binary);
  const ProfileSubject subject{binary, names, {}};
  const CodeCounts counts = count_code(binary, sample_profile(entries, turns)).counts;
  const std::pair<ProfileFormat, std::string> texts[] = {
      {ProfileFormat::kFdata, write_fdata(binary, names, counts)},
      {ProfileFormat::kPreaggregated, write_preaggregated(binary, counts)},
      {ProfileFormat::kCallgrind, write_callgrind(binary, counts, nullptr)}};
  for (const auto& [format, text] : texts) {
    RC_ASSERT(detect_profile_format(text) == format);
    const auto profile = read_profile(text, format, subject);
    RC_ASSERT(profile.has_value());
    const CountedCode again = count_code(binary, *profile);
    RC_ASSERT(again.fit.misfit == 0U);
    RC_ASSERT(only_values(again.counts).functions == only_values(counts).functions);
    RC_ASSERT(again.counts.calls == counts.calls);
    RC_ASSERT(again.counts.is_exact == (format == ProfileFormat::kCallgrind));
  }
}

TEST(WriteProfile, FdataHasOnlyEdgesOfBolt) {
  const ModuleCode binary = sample_binary();
  const CodeCounts counts = count_code(binary, sample_profile(3, 5)).counts;
  // Nothing behind the call at 1002, because no block begins at 1007 for BOLT.
  EXPECT_EQ(write_fdata(binary, sample_names(binary), counts),
            "0 [unknown] 0 1 f 0 0 3\n"
            "1 f 0 1 f 2 0 3\n"
            "1 f 2 1 g/1 0 0 8\n"
            "1 f 9 1 f b 0 5\n"
            "1 f 9 1 f 11 0 3\n"
            "1 f d 1 f 2 0 5\n");
}

TEST(WriteProfile, SamplesStaySamples) {
  const ModuleCode binary = sample_binary();
  AddressProfile profile;
  profile.add_hits(0x1009, 9);
  const CodeCounts counts = count_code(binary, profile).counts;
  EXPECT_EQ(write_fdata(binary, sample_names(binary), counts), "no_lbr samples\n1 f 7 9\n");
  EXPECT_EQ(write_preaggregated(binary, counts), "S 1007 9\n");
}

TEST(WriteProfile, CallgrindTellsHowCountsAreKnown) {
  const ModuleCode binary = sample_binary();
  CodeCounts counts = count_code(binary, sample_profile(1, 0)).counts;
  EXPECT_NE(write_callgrind(binary, counts, nullptr).find("events: Ir\n"), std::string::npos);
  counts.functions[1].blocks[0] = {7, CountSource::kMatched, Strength::kFair};
  const std::string text = write_callgrind(binary, counts, nullptr);
  EXPECT_NE(text.find("events: Ir Measured Strong Fair Weak Inferred\n"), std::string::npos);
  EXPECT_NE(text.find("0x1020 7 0 0 7 0 0\n"), std::string::npos);
}

TEST(BoltNames, LocalSymbolsAreNumberedByAddress) {
  const ModuleCode binary = sample_binary();
  const BoltNames names = BoltNames::make(
      {{.name = "s", .address = 0x1020, .size = 4, .is_local = true, .is_function = true},
       {.name = "s", .address = 0x1000, .size = 0x12, .is_local = true, .is_function = true}},
      binary.flow().functions());
  EXPECT_EQ(names.address("s/1"), 0x1000U);
  EXPECT_EQ(names.address("s/2"), 0x1020U);
  EXPECT_EQ(names.address("s"), std::nullopt);
  EXPECT_EQ(names.place(0x1021)->name, "s/2");
  EXPECT_EQ(names.place(0x1021)->offset, 1U);
  EXPECT_FALSE(names.place(0x2000));
  // Without symbols by the address.
  EXPECT_EQ(BoltNames::make({}, binary.flow().functions()).place(0x1003)->name,
            "__BOLT_FDE_FUNCat1000");
}

}  // namespace
}  // namespace twinrun
