// SPDX-License-Identifier: MIT
#include "report/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/json.h"

namespace twinrun {
namespace {

using testing::HasSubstr;
using testing::Not;

Listing two_recordings() {
  Listing listing{.directory = "/store"};
  listing.recordings.push_back({.name = "bad\x1b[31m",
                                .shorthand = "@",
                                .path = "/store/bad.twin",
                                .size = 2048,
                                .command = {"./csvsum", "bad file.csv"},
                                .instructions = 141'000,
                                .exit_status = 1});
  listing.recordings.push_back({.name = "good",
                                .shorthand = "@1",
                                .path = "/store/good.twin.partial",
                                .size = 12,
                                .state = RecordingState::kPartial});
  return listing;
}

TEST(Listing, ShowsEachRecordingOnOneEscapedLine) {
  const std::string text = listing_text(two_recordings());
  EXPECT_THAT(text, HasSubstr("bad\\x1b[31m"));
  EXPECT_THAT(text, HasSubstr("./csvsum 'bad file.csv'"));
  EXPECT_THAT(text, HasSubstr("141 k"));
  EXPECT_THAT(text, HasSubstr("partial"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST(Listing, SaysHowManyItHides) {
  Listing listing = two_recordings();
  listing.hidden = 1;
  const std::string text = listing_text(listing);
  EXPECT_THAT(text, Not(HasSubstr("good")));
  EXPECT_THAT(text, HasSubstr("1 more: --all\n"));
}

TEST(Listing, JsonHoldsEverythingWithNullForTheUnknown) {
  Listing listing = two_recordings();
  listing.hidden = 1;
  const Json json = Json::parse(listing_json(listing));
  EXPECT_EQ(json["schema"], "twinrun.ls.v1");
  ASSERT_EQ(json["recordings"].size(), 2u);
  EXPECT_EQ(json["recordings"][0]["exit_status"], 1);
  EXPECT_TRUE(json["recordings"][1]["instructions"].is_null());
  EXPECT_EQ(json["recordings"][1]["state"], "partial");
}

TEST(Listing, AnEmptyStoreNamesTheNextCommand) {
  EXPECT_THAT(listing_text({.directory = "/store"}), HasSubstr("twinrun record"));
}

TEST(Removal, TellsADryRunFromARealOne) {
  EXPECT_EQ(removal_text({.paths = {"/a.twin"}}), "removed /a.twin\n");
  EXPECT_EQ(removal_text({.paths = {"/a.twin"}, .dry_run = true}), "would remove /a.twin\n");
  EXPECT_EQ(removal_text({}), "nothing to remove\n");
  EXPECT_EQ(Json::parse(removal_json({.paths = {"/a.twin"}, .bytes = 5}))["bytes"], 5);
}

}  // namespace
}  // namespace twinrun
