// SPDX-License-Identifier: MIT
#include "report/recorded.h"

#include "report/json.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(Recorded, TheLineSaysHowItEndedAndHowMuchItWas) {
  Recorded recorded{
      .name = "good", .exit_status = 3, .instructions = 138'214, .processes = 1, .size = 12'400};
  EXPECT_EQ(recorded_line(recorded), "recorded good: exit 3, 138 k instructions, 12.1 KiB");
  recorded.term_signal = 11;
  recorded.processes = 4;
  recorded.complete = false;
  EXPECT_EQ(recorded_line(recorded),
            "recorded a part of good: signal 11, 138 k instructions, 4 processes, 12.1 KiB");
}

TEST(Recorded, JsonHasNullForNoSignal) {
  Json json = Json::parse(recorded_json({.name = "good", .command = {"a", "b"}}));
  EXPECT_EQ(json["schema"], "twinrun.record.v1");
  EXPECT_TRUE(json["signal"].is_null());
  EXPECT_EQ(json["command"], (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace twinrun
