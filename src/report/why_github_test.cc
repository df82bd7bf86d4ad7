// SPDX-License-Identifier: MIT
#include "report/why_github.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>

namespace twinrun {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(WorkflowCommand, EscapesWhatARunnerReads) {
  EXPECT_EQ(workflow_command("error", RootPlace{"a,b:c%.c", 3, ""}, "x: y, z", "100%: a,b\r\nnext"),
            "::error file=a%2Cb%3Ac%25.c,line=3,title=x%3A y%2C z::100%25: a,b%0D%0Anext\n");
  EXPECT_EQ(workflow_command("notice", {}, "t", "m"), "::notice title=t::m\n");
}

TEST(WorkflowCommand, KeepsTheNameOfAFileOnItsLine) {
  EXPECT_EQ(workflow_command("error", RootPlace{"a\n::stop-commands::x", 1, ""}, "", ""),
            "::error file=a\\n%3A%3Astop-commands%3A%3Ax,line=1,title=::\n");
}

RC_GTEST_PROP(WorkflowCommand, IsOneLineWhateverIsInIt,
              (const std::string& file, const std::string& title, const std::string& message)) {
  const std::string out = workflow_command("error", RootPlace{file, 1, ""}, title, message);
  RC_ASSERT(std::ranges::count(out, '\n') == 1 && out.back() == '\n');
  RC_ASSERT(out.find('\r') == std::string::npos);
  // The properties are those three, and end where we end them.
  const std::string properties = out.substr(8, out.find("::", 8) - 8);
  RC_ASSERT(std::ranges::count(properties, ',') == 2);
  RC_ASSERT(properties.find(':') == std::string::npos);
}

TEST(WhyGithub, ShowsWhatTheFirstSentenceIsAbout) {
  SourceText sources;
  WhyReport report;
  report.a.command = "./p a";
  report.b.command = "./p\n::error::b";
  Misuse misuse{.kind = Misuse::Kind::kNull};
  misuse.at.file = "/usr/lib/elsewhere.c";
  misuse.at.line = 9;
  misuse.callers.push_back({.function = "main", .file = "/repo/src/a.c", .line = 7});
  report.misuses.push_back(misuse);
  const std::string out = why_github(report, sources, SourceRoot::around("/repo"));
  EXPECT_THAT(out,
              StartsWith("::error file=src/a.c,line=7,title=twinrun why%3A the runs differ::"));
  EXPECT_THAT(out, HasSubstr("elsewhere.c:9"));
  EXPECT_THAT(out, HasSubstr("%0AB  ./p\\n::error::b  "));
  EXPECT_EQ(std::ranges::count(out, '\n'), 1);
}

TEST(WhyGithub, IsANoticeForEqualRuns) {
  SourceText sources;
  WhyReport report;
  report.outcome = WhyReport::Outcome::kSame;
  EXPECT_THAT(why_github(report, sources, SourceRoot::around("/repo")),
              StartsWith("::notice title="));
}

}  // namespace
}  // namespace twinrun
