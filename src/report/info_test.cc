// SPDX-License-Identifier: MIT
#include "report/info.h"
#include "report/dump.h"
#include "report/json.h"
#include "report/packed.h"
#include "report/verified.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twinrun {
namespace {

using testing::HasSubstr;
using testing::Not;

RecordingSummary example(size_t processes) {
  RecordingSummary s;
  s.path = "/store/x.twin";
  s.file_size = 4096;
  s.instructions = 1000;
  s.recording = RecordingInfo{.argv = {"./prog", "a\x1b[31m b"}, .cwd = "/tmp"};
  s.end = RecordingEnd{.how = EndKind::kKilled, .status = 11};
  for (size_t i = 1; i <= processes; ++i) {
    ProcessSummary p;
    p.info.number = static_cast<uint32_t>(i);
    p.command = {"./prog"};
    p.threads = {{1, 10}};
    s.processes.push_back(p);
    s.modules.push_back({"/lib/l" + std::to_string(i), {0xab}, false});
    s.warnings.push_back({1, "W001", "text"});
  }
  for (StreamSummary& stream : s.streams) stream.name = "stream";
  return s;
}

TEST(Info, SaysFirstWhatRanAndHowItEnded) {
  const std::string text = info_text(example(1), false, {});
  EXPECT_EQ(text.substr(0, text.find('\n')), "./prog 'a\\x1b[31m b'");
  EXPECT_THAT(text, HasSubstr("killed by SIGSEGV, 1.0 k instructions"));
  EXPECT_THAT(text, HasSubstr("32.768 bits per instruction"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Info, IsShortByDefaultAndSaysWhatItHides) {
  const std::string text = info_text(example(40), false, {});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 28);
  EXPECT_THAT(text, HasSubstr("35 more: --all"));
  EXPECT_THAT(info_text(example(40), true, {}), HasSubstr("/lib/l40"));
}

TEST(Info, JsonHasEverything) {
  const Json json = Json::parse(info_json(example(40)));
  EXPECT_EQ(json["schema"], "twinrun.info.v1");
  EXPECT_EQ(json["processes"].size(), 40u);
  EXPECT_EQ(json["end"]["signal"], 11);
}

TEST(Info, APrefixIsCalledOne) {
  RecordingSummary s = example(1);
  s.end.reset();
  s.is_prefix = true;
  s.prefix_note = "a frame is cut short";
  s.lost_bytes = 100;
  EXPECT_THAT(info_text(s, false, {}),
              HasSubstr("a prefix: a frame is cut short, 100 B behind it"));
}

TEST(Functions, ShowsSharesAndHidesTheRest) {
  const std::vector<FunctionCount> functions = {{"/bin/p", "ma\x1bin", 0x10, 75, 1},
                                                {"/bin/p", "", 0, 25, 0}};
  const std::string text = functions_text(functions, 100, 1);
  EXPECT_THAT(text, HasSubstr("75.00"));
  EXPECT_THAT(text, HasSubstr("ma\\x1bin"));
  EXPECT_THAT(text, HasSubstr("1 more: --all"));
  EXPECT_EQ(Json::parse(functions_json(functions, 100))["functions"].size(), 2u);
}

TEST(Dump, TextAndJsonComeFromTheSameRow) {
  const DumpRow row =
      InstructionRow{{{1}, {2}, {30}}, {{0x1000}, "/bin/prog", "ma\x1bin", 4}, {0x90}, "nop"};
  EXPECT_THAT(dump_text(row, PositionForm::kFull),
              HasSubstr("1.2.30  0x000000001000  ma\\x1bin+0x4"));
  const std::string line = dump_json(row);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  const Json json = Json::parse(line);
  EXPECT_EQ(json["step"], 30);
  EXPECT_EQ(json["text"], "nop");
}

TEST(Dump, SystemCallsReadLikeStrace) {
  SyscallRow row{{{1}, {1}, {5}}, 0, "read", {"3", "\"ab\"", "2"}, {3, 0x1000, 2}, 2, "", {}};
  EXPECT_THAT(dump_text(row, PositionForm::kStep), HasSubstr("5  read(3, \"ab\", 2) = 2\n"));
  row.result = static_cast<uint64_t>(-2);
  row.error = "ENOENT";
  EXPECT_THAT(dump_text(row, PositionForm::kStep), HasSubstr("= -1 ENOENT\n"));
}

TEST(Verified, CountsWhatItDoesNotShow) {
  Verified v{"/x.twin", false, "", 0, {}};
  EXPECT_THAT(verified_text(v, {}), HasSubstr("/x.twin: ok"));
  for (int i = 0; i < 15; ++i) v.report.add({.check = "count", .process = 1, .text = "wrong"});
  EXPECT_THAT(verified_text(v, {}), HasSubstr("15 violations"));
  EXPECT_THAT(verified_text(v, {}), HasSubstr("5 more of count"));
  EXPECT_EQ(Json::parse(verified_json(v))["failures"]["count"], 15);
}

TEST(Packed, SaysWhatIsMissing) {
  const PackResult result{
      "/x.twin", 10, 20, {{"/bin/a", {}, 5, "", "", 0}, {"/bin/b", {}, 0, "gone", "", 0}}};
  EXPECT_THAT(pack_text(result), HasSubstr("packed 1 of 2 binaries"));
  EXPECT_THAT(pack_text(result), HasSubstr("missing  /bin/b: gone"));
}

}  // namespace
}  // namespace twinrun
