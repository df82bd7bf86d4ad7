// SPDX-License-Identifier: MIT
#include "report/sarif.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(FileUri, EscapesWhatUrisCannotHold) {
  EXPECT_EQ(file_uri("/home/a b/c#1.c"), "file:///home/a%20b/c%231.c");
  EXPECT_EQ(file_uri("data/in.csv"), "data/in.csv");
  EXPECT_EQ(file_uri("/\xc3\xa4%?"), "file:///%C3%A4%25%3F");
}

TEST(WhySarif, HasNoResultForEqualRuns) {
  WhyReport report;
  report.outcome = WhyReport::Outcome::kSame;
  EXPECT_NE(why_sarif(report).find("\"results\": []"), std::string::npos);
}

}  // namespace
}  // namespace twinrun
