// SPDX-License-Identifier: MIT
#include "report/why_junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twinrun {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::string_view_literals;

TEST(XmlCharacters, AreThoseThatXmlCanHold) {
  EXPECT_EQ(xml_characters("a\tb\r\n\x7f\xc3\xa4\xf0\x9f\x90\x98"),
            "a\tb\r\n\x7f\xc3\xa4\xf0\x9f\x90\x98");
  for (const std::string_view bad :
       {"\0"sv, "\x01"sv, "\x1b"sv, "\xff"sv, "\xc3"sv, "\xef\xbf\xbe"sv, "\xef\xbf\xbf"sv})
    EXPECT_EQ(xml_characters(bad), "\xef\xbf\xbd") << testing::PrintToString(bad);
  // Half of a surrogate, and a form that is too long: each byte by itself.
  EXPECT_EQ(xml_characters("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(xml_characters("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(xml_characters("\xf4\x90\x80\x80z").back(), 'z');
}

TEST(XmlAttribute, CannotBeLeft) {
  EXPECT_EQ(xml_attribute("<a b=\"c\">&\n\t"), "&lt;a b=&quot;c&quot;&gt;&amp;&#10;&#9;");
}

TEST(XmlCdata, CannotBeLeft) {
  EXPECT_EQ(xml_cdata("<b>&"), "<![CDATA[<b>&]]>");
  EXPECT_EQ(xml_cdata("a]]>b]]>"), "<![CDATA[a]]]]><![CDATA[>b]]]]><![CDATA[>]]>");
  EXPECT_EQ(xml_cdata("]]]>"), "<![CDATA[]]]]]><![CDATA[>]]>");
}

TEST(WhyJunit, PassesForEqualRunsAndFailsForAllElse) {
  SourceText sources;
  WhyReport report;
  report.outcome = WhyReport::Outcome::kSame;
  EXPECT_THAT(why_junit(report, sources, {}), HasSubstr("failures=\"0\""));
  EXPECT_THAT(why_junit(report, sources, {}), Not(HasSubstr("<failure")));
  report.outcome = WhyReport::Outcome::kNoise;
  EXPECT_THAT(why_junit(report, sources, {}), HasSubstr("<failure type=\"noise\""));
  report.outcome = WhyReport::Outcome::kDifferent;
  report.b.command = "\"<x>\"";
  EXPECT_THAT(why_junit(report, sources, {}), HasSubstr("<failure type=\"difference\""));
  EXPECT_THAT(why_junit(report, sources, {}), HasSubstr("| &quot;&lt;x&gt;&quot;\""));
}

}  // namespace
}  // namespace twinrun
