// SPDX-License-Identifier: MIT
#include "report/why_markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>

namespace twinrun {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(MarkdownCode, HoldsItsText) {
  EXPECT_EQ(markdown_code("h->ncols"), "`h->ncols`");
  EXPECT_EQ(markdown_code("a `b` ``c"), "```a `b` ``c```");
  EXPECT_EQ(markdown_code("`"), "`` ` ``");
  EXPECT_EQ(markdown_code(" a "), "`  a  `");
  EXPECT_EQ(markdown_code("a | b\n| c"), "`a | b\\n| c`");
  EXPECT_EQ(markdown_code(""), "");
}

TEST(MarkdownProse, HasAsCodeWhatIsMoreThanWords) {
  EXPECT_EQ(markdown_prose("B writes beyond h->title (32 bytes), at csvsum.c:13 in strcpy; x is 1"),
            "B writes beyond `h->title` (32 bytes), at `csvsum.c:13` in strcpy; x is 1");
  EXPECT_EQ(markdown_prose("row 1 has \"too few columns\", says f() (see p->q)."),
            "row 1 has `\"too few columns\"`, says `f()` (see `p->q`).");
  EXPECT_EQ(markdown_prose("h->ncols = 4 in A"), "`h->ncols =` 4 in A");
  EXPECT_EQ(markdown_prose("ask @user or #12, <b>now</b> *please* www.example.com"),
            "ask `@user` or `#12`, `<b>now</b> *please* www.example.com`");
  EXPECT_EQ(markdown_prose("it's 'a b' there"), "`it's 'a b'` there");
  EXPECT_EQ(markdown_prose("Suspicious: a.c:5  int *f(char *s) {  (only B's)"),
            "Suspicious: `a.c:5`  `int *f(char *s) {`  (only `B's`)");
  EXPECT_EQ(markdown_prose("x is \"a  b\" in A"), "x is `\"a  b\"` in A");
  EXPECT_EQ(markdown_prose("a.csv, byte 3 | b.csv, byte 4"), "`a.csv`, byte 3 | `b.csv`, byte 4");
}

RC_GTEST_PROP(MarkdownProse, HasNoMarksOutsideOfCode, ()) {
  // Few characters, so that fences, quotation marks and pairs of blanks meet.
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab  ``\"'|*()._<[@#~\\\n")));
  const std::string out = markdown_prose(text);
  RC_ASSERT(out.find('\n') == std::string::npos);
  // Code begins and ends with as many backquotes, and has no such run inside.
  std::string outside;
  for (size_t i = 0; i < out.size();) {
    const size_t fence = std::min(out.find_first_not_of('`', i), out.size()) - i;
    if (fence == 0) {
      outside += out[i++];
      continue;
    }
    size_t at = i + fence;
    size_t run = 0;
    while (at < out.size() && run != fence) {
      run = std::min(out.find_first_not_of('`', at), out.size()) - at;
      at += std::max<size_t>(run, 1);
    }
    RC_ASSERT(run == fence);
    i = at;
  }
  RC_ASSERT(outside.find_first_of("*_[]<>#@&\\~!/") == std::string::npos);
}

TEST(WhyMarkdown, TellsAFewInputsAndHowManyMoreThereAre) {
  SourceText sources;
  WhyReport report;
  for (int i = 0; i < 9; ++i)
    report.inputs.push_back({.kind = InputDifference::Kind::kVariable,
                             .name_b = "X" + std::to_string(i),
                             .value_b = "1"});
  const std::string out = why_markdown(report, sources);
  EXPECT_THAT(out, HasSubstr("X5"));
  EXPECT_THAT(out, Not(HasSubstr("X6")));
  EXPECT_THAT(out, HasSubstr("- 3 more inputs that differ\n"));
}

TEST(WhyMarkdown, ShowsTheRunsWhateverTheirNames) {
  SourceText sources;
  WhyReport report;
  report.a.command = "./p 'a|b'";
  report.b.command = "./p '```'";
  const std::string out = why_markdown(report, sources);
  EXPECT_THAT(out, StartsWith("### "));
  EXPECT_THAT(out, HasSubstr("| A | `./p 'a\\|b'` |"));
  EXPECT_THAT(out, HasSubstr("| B | ````./p '```'```` |"));
  EXPECT_THAT(out, Not(HasSubstr("Also suspicious")));
}

}  // namespace
}  // namespace twinrun
