// SPDX-License-Identifier: MIT
#include "values/dump.h"

#include "kernel/syscall_row.h"
#include "trace/trace_builder.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

class DumpTest : public testing::Test {
 protected:
  DumpTest() : bytes_(small_recording()) {
    auto reader = Reader::open_memory(bytes_);
    CHECK(reader.has_value());
    run_ = std::make_unique<twinrun::Run>(std::move(*reader));
    reader_ = &run_->reader();
  }
  std::vector<DumpRow> rows(const DumpOptions& options, size_t limit = 1000) {
    std::vector<DumpRow> out;
    const auto dumped = dump(*run_, options, [&](DumpRow&& row) {
      out.push_back(std::move(row));
      return out.size() < limit;
    });
    EXPECT_TRUE(dumped.has_value());
    return out;
  }
  Bytes bytes_;
  std::unique_ptr<twinrun::Run> run_;
  const Reader* reader_ = nullptr;
};

TEST_F(DumpTest, EveryCountedInstructionHasOneRowInOrder) {
  const auto got = rows({});
  ASSERT_EQ(got.size(), reader_->instructions());
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> next;
  for (const DumpRow& row : got) {
    const Position& p = std::get<InstructionRow>(row).position;
    EXPECT_EQ((next[{p.process.value, p.thread.value}]++), p.step.value);
  }
  EXPECT_EQ(std::get<InstructionRow>(got[1]).text, "jmp 0x1008");
  EXPECT_EQ(std::get<InstructionRow>(got[3]).text, "rep movsb");
  EXPECT_EQ(std::get<InstructionRow>(got[3]).at.module, "/bin/prog");
}

TEST_F(DumpTest, RangesGiveExactlyTheirSteps) {
  const auto all = rows({.process = ProcessId{1}, .thread = ThreadNo{1}});
  for (uint64_t from = 0; from < all.size(); ++from) {
    for (uint64_t to = from + 1; to <= all.size(); to += 3) {
      const auto part = rows({.range = PositionRange{{{1}, {1}, {from}}, {{1}, {1}, {to}}}});
      ASSERT_EQ(part.size(), to - from);
      for (uint64_t i = 0; i < part.size(); ++i)
        EXPECT_EQ(std::get<InstructionRow>(part[i]).at.address,
                  std::get<InstructionRow>(all[from + i]).at.address);
    }
  }
}

TEST_F(DumpTest, ALimitEndsTheDump) { EXPECT_EQ(rows({}, 3).size(), 3u); }

TEST_F(DumpTest, BlocksSayHowTheyWereLeft) {
  const auto got = rows({.what = DumpWhat::kBlocks, .process = ProcessId{1}});
  ASSERT_EQ(got.size(), 17u);
  EXPECT_EQ(std::get<BlockRow>(got[4]).instructions,
            0u);  // the last arrival at the rep instruction
  size_t partial = 0;
  for (const DumpRow& row : got) partial += std::get<BlockRow>(row).partial ? 1 : 0;
  EXPECT_EQ(partial, 1u);
}

TEST_F(DumpTest, SystemCallsHaveNamesArgumentsAndResults) {
  const auto got = rows({.what = DumpWhat::kSyscalls, .data = true});
  ASSERT_EQ(got.size(), 6u);
  const auto& write = std::get<SyscallRow>(got[0]);
  EXPECT_EQ(write.name, "write");
  EXPECT_EQ(write.arguments, (std::vector<std::string>{"1", "\"hi\\n\"", "3"}));
  EXPECT_EQ(write.result, 3u);
  ASSERT_EQ(write.data.size(), 1u);
  EXPECT_EQ(write.position.step.value, 7u);
  EXPECT_EQ(std::get<SyscallRow>(got[1]).position.thread.value, 2u);
  EXPECT_EQ(std::get<SyscallRow>(got[3]).name, "exit_group");
  EXPECT_FALSE(std::get<SyscallRow>(got[3]).result.has_value());
  EXPECT_EQ(std::get<SyscallRow>(got[4]).name, "fork");  // the child's side
}

TEST_F(DumpTest, EveryEventHasARow) {
  size_t events = 0;
  for (const DumpRow& row : rows({.what = DumpWhat::kEvents})) {
    for (const auto& [name, value] : std::get<EventRow>(row).fields) EXPECT_NE(name, "malformed");
    ++events;
  }
  EXPECT_EQ(events, 25u);
}

TEST(Quoted, BytesAreHarmless) {
  EXPECT_EQ(quoted(Bytes{'a', '"', '\\', '\n', 0x1b, 0}, 10), "\"a\\\"\\\\\\n\\x1b\\0\"");
  EXPECT_EQ(quoted(Bytes{'a', 'b', 'c'}, 2), "\"ab\"...");
}

}  // namespace
}  // namespace twinrun
