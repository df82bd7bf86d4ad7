// SPDX-License-Identifier: MIT
// What a module's code is known by: the same from the cache and without, whatever is in its files.
#include "program/module_code.h"

#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

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

// As two commands at once do it: each has its own temporary file, and a reader sees whole ones
// only.
TEST(ModuleCache, TwoProcessesMayWriteOneEntry) {
  const Directory dir;
  const ModuleCache cache(dir.path);
  const Bytes payload(100'000, 7);
  void* shared = mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& is_enough = *new (shared) std::atomic<bool>(false);
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child != 0) continue;
    while (!is_enough) cache.store(kKey, payload);
    _exit(0);
  }
  while (!std::filesystem::exists(cache.path(kKey))) usleep(1000);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(cache.load(kKey), payload);
  is_enough = true;
  for (int i = 0, status = 0; i < 2; ++i) {
    EXPECT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  munmap(shared, 1);
  EXPECT_EQ(cache.load(kKey), payload);
  const std::filesystem::directory_iterator files(dir.path);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "something temporary was left";
}

TEST(ModuleCache, IsTheUsersUnlessSwitchedOff) {
  const Directory dir;
  struct Variable {  // as it was, afterwards
    const char* name;
    std::optional<std::string> before;
    Variable(const char* its_name, const std::string& value) : name(its_name) {
      if (const char* old = getenv(name)) before = old;
      setenv(name, value.c_str(), 1);
    }
    ~Variable() { before ? setenv(name, before->c_str(), 1) : unsetenv(name); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
  };
  const Variable home("XDG_CACHE_HOME", dir.path);
  {
    const Variable off("TWINRUN_CACHE", "off");
    EXPECT_FALSE(ModuleCache::of_user().is_on());
    ModuleCache::of_user().store(kKey, Bytes(10));
    const auto module = ModuleCode::open("/bin/true");
    ASSERT_TRUE(module);
    (void)module->flow();
    EXPECT_TRUE(std::filesystem::is_empty(dir.path));
  }
  const Variable on("TWINRUN_CACHE", "");
  ModuleCache::of_user().store(kKey, Bytes(10));
  EXPECT_TRUE(std::filesystem::exists(ModuleCache(dir.path + "/twinrun").path(kKey)));
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

// Hand-made code at kStart with functions at `starts`, which nothing but calls tells of.
constexpr uint64_t kStart = 0x1000;
struct Made {
  std::shared_ptr<CodeImage> image = std::make_shared<CodeImage>();
  explicit Made(Bytes code) { image->add({kStart, std::move(code), true, false}); }
  [[nodiscard]] FunctionTable table(std::vector<uint64_t> starts) const {
    for (uint64_t& start : starts) start += kStart;
    return FunctionTable::make(*image, nullptr, {}, starts);
  }
  // What runs did on top of what the code tells, and all of it at once: the same.
  [[nodiscard]] ControlFlow with(const std::vector<uint64_t>& known,
                                 const std::vector<uint64_t>& called,
                                 std::vector<ObservedEdge> edges) const {
    for (ObservedEdge& edge : edges) edge = {edge.from + kStart, edge.to + kStart};
    const ControlFlow code = ControlFlow::explore(image, table(known), {});
    const ControlFlow before = ControlFlow::build(*image, table(known), {});
    const ControlFlow with = code.with(table(called), {}, edges);
    expect_same(with, ControlFlow::build(*image, table(called), {}, edges));
    expect_same(code, before);
    return with;
  }
};

TEST(ControlFlowWith, JumpsOfARunAreAddedToTheirFunctionOnly) {
  // 0: jmp rax   2: nop; ret   4: ret   8: call 0; ret
  const Made made(
      {0xff, 0xe0, 0x90, 0xc3, 0xc3, 0x90, 0x90, 0x90, 0xe8, 0xf3, 0xff, 0xff, 0xff, 0xc3});
  const ControlFlow flow = made.with({0, 8}, {0, 8}, {{0, 2}, {0, 4}});
  EXPECT_EQ(flow.cfg(0).blocks.size(), 3u);
  EXPECT_EQ(flow.cfg(0).edges.size(), 2u);
  EXPECT_EQ(flow.cfg(1).blocks.size(), 2u);
}

TEST(ControlFlowWith, FunctionsThatCallsTellOfAreBetweenTheOthers) {
  // 0: call rax; ret   8: ret   16: call 0; ret
  Bytes code(22, 0x90);
  code[0] = 0xff, code[1] = 0xd0, code[2] = 0xc3, code[8] = 0xc3;
  std::ranges::copy(Bytes{0xe8, 0xeb, 0xff, 0xff, 0xff, 0xc3}, code.begin() + 16);
  const ControlFlow flow = Made(code).with({0, 16}, {0, 8, 16}, {});
  ASSERT_EQ(flow.functions().size(), 3u);
  EXPECT_TRUE(flow.returns(1));
  EXPECT_EQ(flow.calls(), (std::vector<CallEdge>{{2, 0, kStart + 16, CallKind::kDirect}}));
}

TEST(ControlFlowWith, AJumpThatShowsThatAFunctionDoesNotReturnConcernsItsCallers) {
  // 0: jmp rax   2: hlt   8: call 0; ret. Where the jump leads is not known: it may return.
  const Made made(
      {0xff, 0xe0, 0xf4, 0x90, 0x90, 0x90, 0x90, 0x90, 0xe8, 0xf3, 0xff, 0xff, 0xff, 0xc3});
  EXPECT_TRUE(ControlFlow::explore(made.image, made.table({0, 8}), {}).returns(1));
  const ControlFlow flow = made.with({0, 8}, {0, 8}, {{0, 2}});
  EXPECT_FALSE(flow.returns(0));
  EXPECT_FALSE(flow.returns(1));
  EXPECT_EQ(flow.cfg(1).blocks.size(), 1u);
}

TEST(ControlFlowWith, ACalledFunctionThatDoesNotReturnConcernsItsCallers) {
  // 0: call 8; ret   8: hlt. Code in no function is taken to return.
  const Made made({0xe8, 3, 0, 0, 0, 0xc3, 0x90, 0x90, 0xf4});
  EXPECT_TRUE(ControlFlow::explore(made.image, made.table({0}), {}).returns(0));
  EXPECT_FALSE(made.with({0}, {0, 8}, {}).returns(0));
}

}  // namespace
}  // namespace twinrun
