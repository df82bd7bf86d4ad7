// SPDX-License-Identifier: MIT
#include "report/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/json.h"

namespace twinrun {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Diagnosis kSick{{{"cpu", Health::kOk, "x86-64", ""},
                       {"space", Health::kWarn, "2 MiB free", "make room"},
                       {"valgrind", Health::kFail, "not found", "apt-get install valgrind"}}};

TEST(Diagnosis, PutsTheVerdictFirstAndTheFixBelowItsFinding) {
  const std::string text = diagnosis_text(kSick, Style{});
  EXPECT_THAT(text, StartsWith("this machine cannot record yet: 1 of 3 checks fail\n"));
  EXPECT_THAT(text, HasSubstr("fail  valgrind   not found\n        = help: apt-get install"));
}

TEST(Diagnosis, ColourOnlyWhenAsked) {
  EXPECT_EQ(diagnosis_text(kSick, Style{}).find('\x1b'), std::string::npos);
  EXPECT_THAT(diagnosis_text(kSick, Style{.color = true}), HasSubstr("\x1b[31mfail\x1b[0m"));
}

TEST(Diagnosis, JsonCountsFailures) {
  const Json json = Json::parse(diagnosis_json(kSick));
  EXPECT_EQ(json["schema"], "twinrun.doctor.v1");
  EXPECT_EQ(json["able"], false);
  EXPECT_EQ(json["failures"], 1);
  EXPECT_EQ(json["warnings"], 1);
  EXPECT_TRUE(json["checks"][0]["fix"].is_null());
}

}  // namespace
}  // namespace twinrun
