// SPDX-License-Identifier: MIT
#include "report/page.h"

#include "report/json.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

constexpr std::string_view kBegin = "<script type=\"application/json\" id=\"data\">";

/// What stands in the page's block of data.
std::string block_of(const std::string& page) {
  const size_t from = page.find(kBegin);
  if (from == std::string::npos) return {};
  const size_t start = from + kBegin.size();
  return page.substr(start, page.find("</script>", start) - start);
}

PageData hostile() {
  PageData data;
  const std::string evil = "</script><script>x()</script><!-- & \xff";
  data.why.headline.kind = WhyReport::Headline::Kind::kSame;
  data.why.same.kind = Sameness::Kind::kEnds;
  data.why.same.b.end = {.kind = HowEnded::Kind::kExited, .text = evil + std::string(1, '\0')};
  data.why.a.command = evil;
  WhyReport::Node node;
  node.b = NamedInstruction{.function = evil, .file = evil, .line = 3, .text = evil};
  data.why.nodes.push_back(node);
  data.why.answer.push_back({.finding = 1, .nodes = {0}});
  data.diff.functions.push_back({.function = evil});
  data.threads.push_back({.note = evil, .cells = {{.a = {0, 1}, .b = {0, 1}, .aligned = 1}}});
  return data;
}

PageSources hostile_sources() {
  const std::string evil = "</script><script>x()</script><!-- & \xff";
  PageSources out;
  out.files.push_back({.file = evil, .lines = 1, .chunks = {{1, {evil}}}, .a = {{1, 2}}, .b = {}});
  return out;
}

TEST(Page, TemplateHasOnePlaceForEachOfItsParts) {
  for (const std::string_view mark : {kPageTextMark, kPageDataMark}) {
    const size_t at = kPageTemplate.find(mark);
    ASSERT_NE(at, std::string_view::npos);
    EXPECT_EQ(kPageTemplate.find(mark, at + 1), std::string_view::npos);
  }
  EXPECT_LT(kPageTemplate.find(kPageTextMark), kPageTemplate.find(kPageDataMark));
}

TEST(Page, TextNeverEndsItsElement) {
  SourceText nothing;
  const std::string page = page_html(hostile(), hostile_sources(), nothing, {});
  const size_t begin = page.find("<noscript>");
  const size_t end = page.find("</noscript>");
  ASSERT_LT(begin, end);
  const std::string inside = page.substr(begin, end - begin);
  EXPECT_EQ(inside.find("<script"), std::string::npos);
  EXPECT_NE(inside.find("&lt;/script&gt;&lt;script&gt;x()"), std::string::npos);
}

TEST(Page, DataNeverEndsItsBlock) {
  SourceText nothing;
  const std::string page = page_html(hostile(), hostile_sources(), nothing, {});
  const std::string block = block_of(page);
  EXPECT_EQ(block.find_first_of("<>&"), std::string::npos);
  const Json data = Json::parse(block);
  const std::string shown = "</script><script>x()</script><!-- & \uFFFD";
  EXPECT_EQ(data["why"]["verdict"],
            "No difference: both runs ended alike: " + shown + std::string(1, '\0'));
  EXPECT_EQ(data["functions"]["rows"][0]["function"], shown);
  EXPECT_EQ(data["sources"][0]["chunks"][0]["text"][0], shown);
  EXPECT_EQ(data["timeline"]["threads"][0]["cells"][0]["aligned"], 1);
  // Outside of the block and the text the page is the template.
  const size_t text_at = kPageTemplate.find(kPageTextMark);
  const std::string_view behind = kPageTemplate.substr(text_at + kPageTextMark.size());
  const std::string_view between = behind.substr(0, behind.find(kPageDataMark));
  EXPECT_EQ(page.substr(0, text_at), kPageTemplate.substr(0, text_at));
  EXPECT_NE(page.find(std::string(between) + block), std::string::npos);
}

TEST(Page, CutsTextsOfAPageThatWouldBeTooLarge) {
  SourceText nothing;
  PageData data = hostile();
  for (int i = 0; i < 40; ++i)
    data.diff.functions.push_back({.function = "\u00e9" + std::string(65536, 'x')});
  const std::string whole =
      page_json(data, hostile_sources(), nothing, {.most_bytes = 100'000'000});
  EXPECT_GT(whole.size(), 40u * 65536u);
  const std::string cut = page_json(data, hostile_sources(), nothing, {.most_bytes = 100'000});
  EXPECT_LT(cut.size(), 100'000u);
  const Json json = Json::parse(cut);
  EXPECT_NE(json["notes"].back().get<std::string>().find("are cut"), std::string::npos);
  EXPECT_NE(json["functions"]["rows"][5]["function"].get<std::string>().find("bytes more"),
            std::string::npos);
}

TEST(Page, HasTheLinesOfTheGraphAndThoseThatTheAnswerLeavesOut) {
  SourceText nothing;
  PageData data = hostile();
  data.lines.push_back({.at = *data.why.nodes[0].b, .in_b = true, .nodes = {0}, .statement = 4});
  WhyReport::Line line{.nodes = {0}};
  line.between = 1;
  data.why.answer.push_back(line);
  data.why.left_out.push_back({.run = RunSide::kB, .nodes = {0}});
  const Json json = Json::parse(page_json(data, {}, nothing, {}));
  EXPECT_EQ(json["headline"]["line"], 3);
  EXPECT_EQ(json["lines"][0]["run"], "b");
  EXPECT_EQ(json["lines"][0]["nodes"], Json::array({"N0"}));
  EXPECT_EQ(json["lines"][0]["statement"], 4);
  EXPECT_FALSE(json["why"]["answer"][0].contains("left_out"));
  EXPECT_EQ(json["why"]["answer"][1]["left_out"].size(), 1u);
  EXPECT_FALSE(json["why"]["answer"][1].contains("remark"));
  EXPECT_NE(json["why"]["answer"][1]["text"].get<std::string>().find("1 line between"),
            std::string::npos);
}

TEST(Page, HasTheNamesThatPeopleKnow) {
  SourceText nothing;
  PageData data;
  data.why.nodes.resize(2);
  data.why.nodes[0].a = NamedInstruction{.function = "_ZN4Shop5totalEi"};
  data.why.nodes[1].caller_b = NamedInstruction{.function = "main"};
  const Json json = Json::parse(page_json(data, {}, nothing, {}));
  EXPECT_EQ(json["names"], (Json{{"_ZN4Shop5totalEi", "Shop::total"}}));
}

TEST(Page, SaysHowManyFunctionsItLeavesOut) {
  SourceText nothing;
  PageData data;
  data.diff.functions.resize(50);
  const Json json = Json::parse(page_json(data, {}, nothing, {.functions = 20}));
  EXPECT_EQ(json["functions"]["rows"].size(), 20u);
  EXPECT_EQ(json["functions"]["different"], 50);
}

}  // namespace
}  // namespace twinrun
