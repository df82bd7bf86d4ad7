// SPDX-License-Identifier: MIT
#include "cli/store.h"

#include "format/trace_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace twinrun {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Store : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "twinrun-store.XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    home_ = pattern;
    setenv("XDG_DATA_HOME", (home_ / "data").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(home_); }

  /// A file that starts like a recording begun at `time_ns`.
  std::string put(const std::string& file, uint64_t time_ns) {
    fs::create_directories(home_ / "data/twinrun");
    TwFileHeader header{};
    std::memcpy(header.magic, TW_FILE_MAGIC, sizeof header.magic);
    header.start_time_ns = time_ns;
    const fs::path path = home_ / "data/twinrun" / file;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(&header), sizeof header);
    return path.string();
  }

  fs::path home_;
};

TEST_F(Store, IsEmptyBeforeTheFirstRecording) {
  EXPECT_TRUE(list_recordings().value().empty());
  const auto newest = resolve_recording("@");
  ASSERT_FALSE(newest.has_value());
  EXPECT_EQ(newest.error().code, "S003");
}

TEST_F(Store, OrdersByTheStartOfTheRecordingAndFallsBackToTheLastWrite) {
  const std::string first = put("first.twin", 100);
  const std::string second = put("second.twin", 200);
  std::ofstream(home_ / "data/twinrun/foreign.twin") << "no recording";
  put("notes.txt", 300);
  EXPECT_EQ(list_recordings().value().size(), 3u);
  EXPECT_THAT(resolve_recording("@").value(), HasSubstr("foreign"));
  EXPECT_EQ(resolve_recording("@1").value(), second);
  EXPECT_EQ(resolve_recording("@2").value(), first);
  EXPECT_FALSE(resolve_recording("@3").has_value());
  EXPECT_FALSE(resolve_recording("@x").has_value());
}

TEST_F(Store, ARecordingInProgressIsListedButHasNoShorthand) {
  const std::string done = put("done.twin", 100);
  const std::string busy = put("busy.twin.partial", 200);
  EXPECT_EQ(resolve_recording("@").value(), busy);  // its recorder is gone
  const int fd = open(busy.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(resolve_recording("@").value(), done);
  const auto entries = list_recordings().value();
  EXPECT_TRUE(entries[0].recording);
  EXPECT_EQ(shorthand(entries, 0), "");
  EXPECT_FALSE(choose_output("busy", "x", true).has_value());
  close(fd);
  EXPECT_TRUE(choose_output("busy", "x", true).has_value());
}

TEST_F(Store, NamesWinOverPartialOnesAndTyposGetAHint) {
  const std::string partial = put("good.twin.partial", 300);
  EXPECT_EQ(resolve_recording("good").value(), partial);
  const std::string whole = put("good.twin", 100);
  EXPECT_EQ(resolve_recording("good").value(), whole);
  EXPECT_EQ(resolve_recording("godo").error().help, "did you mean 'good'?");
}

TEST_F(Store, ASlashOrTheSuffixMakesAPath) {
  const std::string path = put("good.twin", 100);
  EXPECT_EQ(resolve_recording(path).value(), path);
  EXPECT_FALSE(resolve_recording("good.twin").has_value());
  EXPECT_FALSE(resolve_recording("./good").has_value());
}

TEST_F(Store, DefaultNamesCountOnFromTheHighest) {
  EXPECT_EQ(choose_output("", "/usr/bin/gzip", false).value().name, "gzip-1");
  put("gzip-1.twin", 1);
  put("gzip-9.twin.partial", 2);
  put("gzip-x.twin", 3);
  EXPECT_EQ(choose_output("", "gzip", false).value().name, "gzip-10");
  EXPECT_EQ(choose_output("", "./.hid den", false).value().name, "_hid_den-1");
  EXPECT_EQ(choose_output("", "/", false).value().name, "run-1");
}

TEST_F(Store, IsMadeForItsOwnerOnly) {
  const mode_t old = umask(0);
  ASSERT_TRUE(choose_output("x", "x", false).has_value());
  umask(old);
  struct stat info{};
  ASSERT_EQ(stat((home_ / "data/twinrun").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0700u);
}

TEST_F(Store, RefusesToOverwriteUnlessForced) {
  put("good.twin", 1);
  put("half.twin.partial", 1);
  EXPECT_EQ(choose_output("good", "x", false).error().code, "R017");
  EXPECT_EQ(choose_output("half", "x", false).error().code, "R017");
  EXPECT_TRUE(choose_output("good", "x", true).has_value());
  EXPECT_EQ(choose_output(home_.string() + "/", "x", true).error().code, "S005");
}

TEST_F(Store, RefusesNamesThatNoVerbCouldReach) {
  for (const char* name : {"@", "@1", "-x", ".x", "a\nb", "x.twin.partial"}) {
    EXPECT_FALSE(choose_output(name, "x", false).has_value()) << name;
  }
  EXPECT_FALSE(choose_output(std::string(201, 'x'), "x", false).has_value());
}

TEST_F(Store, NeedsAnAbsoluteHome) {
  unsetenv("XDG_DATA_HOME");
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  setenv("HOME", "relative", 1);
  EXPECT_EQ(store_directory().error().code, "S001");
  setenv("HOME", "/h", 1);
  EXPECT_EQ(store_directory().value(), "/h/.local/share/twinrun");
  setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace twinrun
