// SPDX-License-Identifier: MIT
#include "report/why_phrases.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(PhraseOfValue, IsWhatPeopleWrite) {
  EXPECT_EQ(phrase_of_value(""), "?");
  EXPECT_EQ(phrase_of_value("0x0"), "NULL");
  EXPECT_EQ(phrase_of_value("0x4035290 \"eight\""), "\"eight\"");
  EXPECT_EQ(phrase_of_value("114 'r'"), "'r'");
  EXPECT_EQ(phrase_of_value("10 '\\n'"), "'\\n'");
  EXPECT_EQ(phrase_of_value("0 '\\000'"), "0");
  EXPECT_EQ(phrase_of_value("-71 '\\271'"), "185");
  EXPECT_EQ(phrase_of_value("42"), "42");
}

TEST(CutValue, KeepsTheQuoteThatEndsAText) {
  EXPECT_EQ(cut_value("\"short\"", 10), "\"short\"");
  EXPECT_EQ(cut_value("\"a rather long text\"", 12), "\"a rathe...\"");
  EXPECT_EQ(cut_value("1234567890123", 8), "12345...");
}

TEST(ReadsCount, IsTheResultOfAReadAlone) {
  OutsideSource source{
      .kind = OutsideSource::Kind::kSyscall, .call = "read", .result = 13, .input = "a.txt"};
  EXPECT_TRUE(reads_count(source));
  EXPECT_EQ(phrase_of_source(source), "read() of a.txt");
  source.result.reset();
  EXPECT_FALSE(reads_count(source));
  EXPECT_EQ(phrase_of_source(OutsideSource{.kind = OutsideSource::Kind::kSyscall, .input = "pipe"}),
            "a pipe");
}

TEST(InputValues, OfAnArgumentAreTheWholeOfIt) {
  WhyReport report;
  report.inputs.push_back({.kind = InputDifference::Kind::kArgument,
                           .name_a = "argv[1]",
                           .name_b = "argv[1]",
                           .value_a = "anna",
                           .value_b = std::nullopt});
  WhyReport::Node node{.kind = CausalGraph::Node::Kind::kInput};
  node.source_a = OutsideSource{.kind = OutsideSource::Kind::kStartup,
                                .position = {.process = {1}},
                                .input = "argv[1]",
                                .offset = 0};
  node.source_b = node.source_a;
  report.nodes = {node};
  EXPECT_EQ(input_values(report, 0).a, "\"anna\"");
  EXPECT_EQ(input_values(report, 0).b, "not given");
  // Of another process than the first they are not the user's.
  report.nodes[0].source_a->position.process = {2};
  EXPECT_EQ(input_values(report, 0).a, "");
}

}  // namespace
}  // namespace twinrun
