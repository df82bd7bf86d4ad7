// SPDX-License-Identifier: MIT
// What a module's code is known by: the same from the cache and without, whatever is in its files.
#include "program/module_code.h"

#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace twinrun {
namespace {

struct Directory {
  std::string path = "/tmp/twinrun-module-XXXXXX";
  Directory() { EXPECT_NE(mkdtemp(path.data()), nullptr); }
  ~Directory() { std::filesystem::remove_all(path); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
};

void write(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

FlowFacts some_facts() {
  return {.links = {{2, 0}},
          .returns = {true, false, true},
          .no_return = {"abort", "exit"},
          .jumps = {{0x1000, {{0x2000, 4, true, {0x1010, 0x1004, 0x1010}}}}, {0x1100, {}}}};
}

const ModuleCache::Key kKey{{1, 2, 3, 4, 5}, 99};

TEST(ModuleCache, GivesBackWhatWasStored) {
  const Directory dir;
  const ModuleCache cache(dir.path + "/a/b");
  EXPECT_FALSE(cache.load(kKey));
  cache.store(kKey, some_facts().encode());
  const auto stored = cache.load(kKey);
  ASSERT_TRUE(stored);
  EXPECT_EQ(FlowFacts::decode(*stored, 3), some_facts());
  EXPECT_FALSE(FlowFacts::decode(*stored, 4));
  EXPECT_FALSE(cache.load({kKey.build_id, 98}));
  struct stat status{};
  ASSERT_EQ(stat(cache.path(kKey).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  ASSERT_EQ(stat((dir.path + "/a/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0700u);
}

TEST(ModuleCache, RejectsEveryDamage) {
  const Directory dir;
  const ModuleCache cache(dir.path);
  cache.store(kKey, some_facts().encode());
  const std::string path = cache.path(kKey);
  const Bytes whole = *read_file(path);
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const uint8_t flip : {1, 0x80, 0xff}) {
      Bytes changed = whole;
      changed[i] ^= flip;
      write(path, changed);
      EXPECT_FALSE(cache.load(kKey)) << i;
    }
    write(path, Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(i)));
    EXPECT_FALSE(cache.load(kKey)) << i;
  }
  Bytes longer = whole;
  longer.push_back(0);
  write(path, longer);
  EXPECT_FALSE(cache.load(kKey));
  write(path, whole);
  EXPECT_TRUE(cache.load(kKey));
}

TEST(ModuleCache, KeepsWhatWasUsedLast) {
  const Directory dir;
  const ModuleCache cache(dir.path, 3000);
  const auto key = [](uint8_t n) { return ModuleCache::Key{{n, n, n, n}, n}; };
  for (uint8_t n = 0; n < 2; ++n) cache.store(key(n), Bytes(1000));
  for (uint8_t n = 0; n < 2; ++n) {
    const timespec old[2] = {{1000 + n, 0}, {1000 + n, 0}};
    utimensat(AT_FDCWD, cache.path(key(n)).c_str(), old, 0);
  }
  EXPECT_TRUE(cache.load(key(0)));
  cache.store(key(2), Bytes(1000));
  EXPECT_TRUE(cache.load(key(0)));
  EXPECT_FALSE(cache.load(key(1)));
  EXPECT_TRUE(cache.load(key(2)));
}

TEST(ModuleCache, StoresNothingWhereItCannotOrMustNot) {
  const ModuleCache nowhere("/proc/nowhere/twinrun");
  nowhere.store(kKey, Bytes(10));
  EXPECT_FALSE(nowhere.load(kKey));
  const Directory dir;
  const ModuleCache cache(dir.path);
  cache.store({{}, 1}, Bytes(10));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path));
}

// This program itself, as its file.
ModuleCode self(const ModuleCache& cache) {
  const Bytes bytes = *read_file("/proc/self/exe");
  return {*CodeImage::from_memory(bytes),
          std::make_shared<ElfSymbols>(*ElfSymbols::from_memory(bytes)), cache};
}

void expect_same(const ControlFlow& a, const ControlFlow& b) {
  ASSERT_EQ(a.functions().size(), b.functions().size());
  EXPECT_EQ(a.facts(), b.facts());
  for (uint32_t f = 0; f < a.functions().size(); ++f) {
    const Cfg& one = a.cfg(f);
    const Cfg& two = b.cfg(f);
    ASSERT_EQ(one.edges, two.edges) << a.functions()[f].label();
    ASSERT_EQ(one.blocks.size(), two.blocks.size()) << a.functions()[f].label();
    ASSERT_EQ(one.tables.size(), two.tables.size()) << a.functions()[f].label();
    for (size_t i = 0; i < one.blocks.size(); ++i) {
      ASSERT_EQ(one.blocks[i].start, two.blocks[i].start);
      ASSERT_EQ(one.blocks[i].end, two.blocks[i].end);
      ASSERT_EQ(one.blocks[i].leaves, two.blocks[i].leaves);
      ASSERT_EQ(one.blocks[i].no_return, two.blocks[i].no_return);
      ASSERT_EQ(one.blocks[i].tail_call, two.blocks[i].tail_call);
      ASSERT_EQ(one.blocks[i].some_targets, two.blocks[i].some_targets);
      ASSERT_EQ(one.blocks[i].landing_pad, two.blocks[i].landing_pad);
    }
  }
  EXPECT_EQ(a.calls(), b.calls());
}

TEST(ModuleCode, IsTheSameFromTheCache) {
  const Directory dir;
  const ModuleCode cold = self(ModuleCache(dir.path));
  if (cold.build_id().empty()) GTEST_SKIP() << "built without a build id";
  (void)cold.flow();
  EXPECT_FALSE(std::filesystem::is_empty(dir.path));
  const ModuleCode warm = self(ModuleCache(dir.path));
  const ModuleCode without = self({});
  expect_same(cold.flow(), warm.flow());
  const ControlFlow all_at_once =
      ControlFlow::build(without.image(), *without.functions(), without.frames());
  expect_same(warm.flow(), all_at_once);
}

}  // namespace
}  // namespace twinrun
