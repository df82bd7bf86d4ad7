// SPDX-License-Identifier: MIT
#include "report/json.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(RenderJson, PutsTheSchemaFirstAndKeepsTheOrder) {
  EXPECT_EQ(render_json("ls", 1, {{"z", 1}, {"a", "x"}}),
            "{\n  \"schema\": \"twinrun.ls.v1\",\n  \"z\": 1,\n  \"a\": \"x\"\n}\n");
}

TEST(RenderJson, SurvivesBytesThatAreNoUtf8) {
  const std::string text = render_json("ls", 1, {{"name", "a\xff\x1b"}});
  const Json back = Json::parse(text);
  EXPECT_EQ(back["name"], "a\uFFFD\x1b");
}

}  // namespace
}  // namespace twinrun
