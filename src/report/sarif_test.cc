// SPDX-License-Identifier: MIT
#include "report/sarif.h"

#include "report/json.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

Json parsed(const WhyReport& report) {
  SourceText sources;
  return Json::parse(why_sarif(report, sources, SourceRoot::around("/repo")))["runs"][0];
}

TEST(FileUri, EscapesWhatUrisCannotHold) {
  EXPECT_EQ(file_uri("/home/a b/c#1.c"), "file:///home/a%20b/c%231.c");
  EXPECT_EQ(file_uri("data/in.csv"), "data/in.csv");
  EXPECT_EQ(file_uri("/\xc3\xa4%?"), "file:///%C3%A4%25%3F");
}

TEST(WhySarif, HasNoResultForEqualRuns) {
  WhyReport report;
  report.outcome = WhyReport::Outcome::kSame;
  EXPECT_TRUE(parsed(report)["results"].empty());
}

TEST(WhySarif, IsAtTheRootWithoutALine) {
  const Json run = parsed({});
  const Json& at = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(at["artifactLocation"]["uri"], "./");
  EXPECT_EQ(at["region"]["startLine"], 1);
  EXPECT_EQ(run["originalUriBaseIds"][at["artifactLocation"]["uriBaseId"]]["uri"], "file:///repo/");
}

TEST(WhySarif, IsAtTheLineOfTheInputWhereNoSourceIsKnown) {
  WhyReport report;
  WhyReport::Node node;
  node.kind = CausalGraph::Node::Kind::kInput;
  node.source_a = OutsideSource{.kind = OutsideSource::Kind::kFile, .input = "a.csv", .offset = 9};
  node.source_b = OutsideSource{.kind = OutsideSource::Kind::kFile, .input = "b.csv", .offset = 9};
  report.nodes = {node, {}};
  report.headline = {.kind = WhyReport::Headline::Kind::kInput,
                     .text_a = TextPlace{.line = 2},
                     .text_b = TextPlace{.line = 3}};
  report.answer.push_back({.kind = WhyReport::Line::Kind::kTarget, .finding = 1, .nodes = {1}});
  report.answer.push_back({.kind = WhyReport::Line::Kind::kInput, .finding = 2, .nodes = {0}});
  const Json run = parsed(report);
  const Json& result = run["results"][0];
  const Json& at = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(at["artifactLocation"]["uri"], "b.csv");
  EXPECT_EQ(at["region"]["startLine"], 3);
  // The exit status is nowhere by itself.
  for (const Json& step : result["codeFlows"][0]["threadFlows"][0]["locations"])
    EXPECT_EQ(step["location"]["physicalLocation"], at);
}

TEST(WhySarif, NamesFilesFromTheRootOn) {
  WhyReport report;
  Misuse misuse{.kind = Misuse::Kind::kFreed};
  misuse.at.file = "/repo/src/a b.c";
  misuse.at.line = 7;
  report.misuses.push_back(misuse);
  const Json run = parsed(report);
  const Json& at = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(at["artifactLocation"]["uri"], "src/a%20b.c");
  EXPECT_EQ(at["artifactLocation"]["uriBaseId"], "SRCROOT");
  const auto index = at["artifactLocation"]["index"].get<size_t>();
  EXPECT_EQ(run["artifacts"][index]["location"]["uri"], "src/a%20b.c");
}

}  // namespace
}  // namespace twinrun
