// SPDX-License-Identifier: MIT
#include "program/debug_info.h"

#include "program/stopped_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace twinrun {
namespace {

constexpr const char* kInlined = R"(
static inline __attribute__((always_inline)) int leaf(int x) {
  asm volatile("int3");
  return x * 3;
}
static inline __attribute__((always_inline)) int middle(int y) {
  return leaf(y + 1);
}
__attribute__((noinline)) int outer(int z) {
  int local = z * 2;
  return middle(local);
}
int main(void) { return outer(5); }
)";

// The address of the int3 of the program.
uint64_t stop_of(const std::string& path) { return StoppedProgram(path).pc(); }

void expect_inlined_frames(DebugInfo& info, uint64_t pc, const std::string& file) {
  const auto frames = info.frames_at(pc);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].function, "leaf");
  EXPECT_TRUE(frames[0].is_inlined);
  EXPECT_EQ(frames[1].function, "middle");
  EXPECT_EQ(frames[1].line, 7u);
  EXPECT_TRUE(frames[1].is_inlined);
  EXPECT_EQ(frames[2].function, "outer");
  EXPECT_EQ(frames[2].line, 11u);
  EXPECT_FALSE(frames[2].is_inlined);
  for (const SourceFrame& frame : frames) EXPECT_EQ(frame.file, file);
}

bool has_note(const DebugInfo& info, DebugNote::Kind kind) {
  return std::any_of(info.notes().begin(), info.notes().end(),
                     [&](const DebugNote& note) { return note.kind == kind; });
}

class DebugInfoOf : public testing::TestWithParam<const char*> {};

TEST_P(DebugInfoOf, ShowsInlinedFunctions) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", kInlined, GetParam()));
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value()) << info.error().message;
  expect_inlined_frames(*info, stop_of(dir / "p"), dir / "p.c");
  EXPECT_TRUE(info->notes().empty()) << info->notes().front().message;
}

INSTANTIATE_TEST_SUITE_P(Builds, DebugInfoOf,
                         testing::Values("gcc -g -gdwarf-4 -O0", "gcc -g -gdwarf-5 -O2",
                                         "clang-19 -g -gdwarf-4 -O2", "clang-19 -g -gdwarf-5 -O0",
                                         "gcc -g -O2 -gz=zlib", "gcc -g -O2 -gz=zlib-gnu",
                                         "gcc -g -gdwarf-4 -O2 -gsplit-dwarf",
                                         "gcc -g -gdwarf-5 -O2 -gsplit-dwarf",
                                         "clang-19 -g -gdwarf-4 -O2 -gsplit-dwarf",
                                         "clang-19 -g -gdwarf-5 -O2 -gsplit-dwarf",
                                         "gcc -g -gdwarf-4 -fdebug-types-section -O2"));

TEST(DebugInfo, ReadsASplitUnitFromAPackage) {
  for (const char* flags :
       {"clang-19 -g -gdwarf-4 -O2 -gsplit-dwarf", "clang-19 -g -gdwarf-5 -O2 -gsplit-dwarf"}) {
    const TestDirectory dir;
    ASSERT_TRUE(dir.compile("p", kInlined, flags));
    ASSERT_TRUE(dir.run("llvm-dwp-19 -e p -o p.dwp && rm *.dwo"));
    auto info = DebugInfo::open_file(dir / "p");
    ASSERT_TRUE(info.has_value());
    expect_inlined_frames(*info, stop_of(dir / "p"), dir / "p.c");
    EXPECT_TRUE(info->notes().empty());
  }
}

TEST(DebugInfo, SaysThatASplitFileIsMissingAndStillKnowsLines) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", kInlined, "gcc -g -O2 -gsplit-dwarf"));
  ASSERT_TRUE(dir.run("rm *.dwo"));
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value());
  const auto frames = info->frames_at(stop_of(dir / "p"));
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].file, dir / "p.c");
  EXPECT_TRUE(frames[0].function.empty());
  EXPECT_TRUE(has_note(*info, DebugNote::Kind::kSplitFileMissing));
}

TEST(DebugInfo, RefusesASplitFileOfAnotherBuild) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", std::string(kInlined) + "int more;", "gcc -g -O2 -gsplit-dwarf"));
  ASSERT_TRUE(dir.run("mv p.dwo other"));
  ASSERT_TRUE(dir.compile("p", kInlined, "gcc -g -O1 -gsplit-dwarf"));
  ASSERT_TRUE(dir.run("mv other p.dwo"));
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value());
  (void)info->frames_at(stop_of(dir / "p"));
  EXPECT_TRUE(has_note(*info, DebugNote::Kind::kSplitFileMismatch));
}

TEST(DebugInfo, FindsASeparateFileByBuildIdAndByLink) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", kInlined, "gcc -g -O2 -Wl,--build-id=0x0123456789abcdef"));
  ASSERT_TRUE(
      dir.run("objcopy --only-keep-debug p p.debug && objcopy --strip-all "
              "--add-gnu-debuglink=p.debug p"));
  const uint64_t pc = stop_of(dir / "p");
  auto by_link = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(by_link.has_value());
  EXPECT_EQ(by_link->debug_file(), dir / "p.debug");
  expect_inlined_frames(*by_link, pc, dir / "p.c");
  ASSERT_TRUE(dir.run("mkdir -p d/.build-id/01 && mv p.debug d/.build-id/01/23456789abcdef.debug"));
  auto by_id = DebugInfo::open_file(dir / "p", {.debug_directories = {dir / "d"}});
  ASSERT_TRUE(by_id.has_value());
  EXPECT_EQ(by_id->debug_file(), dir / "d/.build-id/01/23456789abcdef.debug");
  expect_inlined_frames(*by_id, pc, dir / "p.c");
}

TEST(DebugInfo, RefusesASeparateFileOfAnotherBuild) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", kInlined, "gcc -g -Wl,--build-id=0x01020304"));
  ASSERT_TRUE(dir.run("objcopy --only-keep-debug p p.debug"));
  ASSERT_TRUE(dir.compile("p", kInlined, "gcc -Wl,--build-id=0x01020305"));
  ASSERT_TRUE(dir.run("objcopy --add-gnu-debuglink=p.debug p"));
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value());
  EXPECT_TRUE(has_note(*info, DebugNote::Kind::kDebugFileMismatch));
  EXPECT_TRUE(has_note(*info, DebugNote::Kind::kNoDebugInfo));
  EXPECT_TRUE(info->frames_at(stop_of(dir / "p")).empty());
}

TEST(DebugInfo, FollowsSharedDebugInformation) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", kInlined, "gcc -g -O2"));
  ASSERT_TRUE(dir.compile("q", kInlined, "gcc -g -O2"));
  if (!dir.run("dwz -m shared -M ./shared p q 2>/dev/null")) GTEST_SKIP() << "dwz is missing";
  ASSERT_TRUE(dir.run("readelf -S p | grep -q gnu_debugaltlink"));
  const uint64_t pc = stop_of(dir / "p");
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value());
  EXPECT_TRUE(info->notes().empty());
  expect_inlined_frames(*info, pc, dir / "p.c");
  ASSERT_TRUE(dir.run("mv shared gone"));
  auto without = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(without.has_value());
  EXPECT_TRUE(has_note(*without, DebugNote::Kind::kAltFileMissing));
  (void)without->frames_at(pc);
}

TEST(DebugInfo, FindsTheAddressesOfALine) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", kInlined, "gcc -g -O0"));
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value());
  const auto addresses = info->addresses_of_line("p.c", 4);
  ASSERT_FALSE(addresses.empty());
  for (const uint64_t address : addresses) {
    const auto frames = info->frames_at(address);
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames[0].function, "leaf");
    EXPECT_EQ(frames[0].line, 4u);
  }
  EXPECT_EQ(info->addresses_of_line(dir / "p.c", 4), addresses);
  EXPECT_TRUE(info->addresses_of_line("xp.c", 4).empty());
  EXPECT_TRUE(info->addresses_of_line("other/p.c", 4).empty());
  EXPECT_TRUE(info->addresses_of_line("p.c", 1).empty());
}

TEST(DebugInfo, KeepsTheLinkageName) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p",
                          "namespace n { struct S { int f(int x) { asm volatile(\"int3\"); "
                          "return x; } }; } int main() { n::S s; return s.f(0); }",
                          "g++ -g -O0"));
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value());
  const auto frames = info->frames_at(stop_of(dir / "p"));
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "f");
  EXPECT_EQ(frames[0].linkage_name, "_ZN1n1S1fEi");
}

TEST(DebugInfo, ForeignFilesAreRefused) {
  EXPECT_EQ(DebugInfo::open_memory(Bytes{'n', 'o'}).error().code, "P001");
  EXPECT_EQ(DebugInfo::open_file("/nonexistent").error().code, "P002");
  EXPECT_EQ(DebugInfo::open_file("/dev/null").error().code, "P002");
}

TEST(DebugInfo, DamagedFilesDoNotCrash) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", kInlined, "gcc -g -O2"));
  const uint64_t pc = stop_of(dir / "p");
  std::ifstream in(dir / "p", std::ios::binary);
  const Bytes original(std::istreambuf_iterator<char>(in), {});
  std::mt19937 random(7);
  size_t opened = 0;
  for (int i = 0; i < 300; ++i) {
    Bytes bytes = original;
    for (int n = 0; n < 30; ++n) bytes[64 + random() % (bytes.size() - 64)] ^= random();
    if (i % 10 == 0) bytes.resize(random() % bytes.size());
    auto info = DebugInfo::open_memory(bytes);
    if (!info) continue;
    ++opened;
    (void)info->frames_at(pc);
    (void)info->addresses_of_line("p.c", 4);
    EXPECT_LT(info->variables_at(pc).size(), 10000u);
  }
  EXPECT_GT(opened, 100u);
}

}  // namespace
}  // namespace twinrun
