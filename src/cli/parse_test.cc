// SPDX-License-Identifier: MIT
#include "cli/parse.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

constexpr Command kRunner{"run", "", "", Operand::kProgram, VerbGroup::kRecord, nullptr};
constexpr Command kLister{"list", "", "", Operand::kRecording, VerbGroup::kRecord, nullptr};

struct Flags {
  FlagSet app;
  std::string output;
  bool quiet = false;
  std::vector<std::string> names;

  explicit Flags(bool with_names = false) {
    app.add_option("-o,--output", output, "where to");
    app.add_flag("-q,--quiet", quiet, "say less");
    if (with_names) app.add_option("names", names, "what");
  }
};

TEST(Parse, ProgramWordsBeginAtTheFirstNonFlag) {
  Flags flags;
  const auto parsed =
      parse_arguments(flags.app, kRunner, {"-o", "good", "-q", "ls", "-l", "--all"});
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->program, (Words{"ls", "-l", "--all"}));
  EXPECT_EQ(flags.output, "good");
  EXPECT_TRUE(flags.quiet);
}

TEST(Parse, TwoDashesEndOurFlags) {
  Flags flags;
  const auto parsed = parse_arguments(flags.app, kRunner, {"-q", "--", "-weird", "--", "x"});
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->program, (Words{"-weird", "--", "x"}));
}

TEST(Parse, ProgramWordsPassUnchanged) {
  Flags flags;
  const Words program = {"tr", "[a,b]", "", "--quiet", "-o", "{}"};
  const auto parsed = parse_arguments(flags.app, kRunner, program);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->program, program);
  EXPECT_FALSE(flags.quiet);
}

TEST(Parse, AFlagMayCarryItsValue) {
  for (const Words& words : std::vector<Words>{
           {"--output=x", "ls"}, {"-ox", "ls"}, {"-qox", "ls"}, {"-qo", "x", "ls"}}) {
    Flags flags;
    const auto parsed = parse_arguments(flags.app, kRunner, words);
    ASSERT_TRUE(parsed.has_value()) << words[0] << parsed.error().message;
    EXPECT_EQ(flags.output, "x") << words[0];
    EXPECT_EQ(parsed->program, Words{"ls"});
  }
}

TEST(Parse, AMistypedFlagGetsAHint) {
  Flags flags;
  const auto parsed = parse_arguments(flags.app, kRunner, {"--quite", "ls"});
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, "C002");
  EXPECT_EQ(parsed.error().help, "did you mean '--quiet'?");
}

TEST(Parse, AMissingValueIsSaid) {
  Flags flags;
  const auto parsed = parse_arguments(flags.app, kRunner, {"-o"});
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, "C004");
}

TEST(Parse, HelpWinsOverEverythingBehindIt) {
  Flags flags;
  const auto parsed = parse_arguments(flags.app, kRunner, {"--help", "--nonsense"});
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(parsed->wants_help);
}

TEST(Parse, HelpBehindTheProgramBelongsToTheProgram) {
  Flags flags;
  const auto parsed = parse_arguments(flags.app, kRunner, {"ls", "--help"});
  ASSERT_TRUE(parsed.has_value());
  EXPECT_FALSE(parsed->wants_help);
}

TEST(Parse, OperandsAndFlagsMayMix) {
  Flags flags(true);
  ASSERT_TRUE(parse_arguments(flags.app, kLister, {"a", "-q", "b", "--", "-c"}).has_value());
  EXPECT_EQ(flags.names, (std::vector<std::string>{"a", "b", "-c"}));
  EXPECT_TRUE(flags.quiet);
}

TEST(Parse, SurplusOperandsAreAnError) {
  Flags flags;
  const auto parsed = parse_arguments(flags.app, kLister, {"surplus"});
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, "C005");
}

}  // namespace
}  // namespace twinrun
