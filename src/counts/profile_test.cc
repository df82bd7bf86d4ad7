// SPDX-License-Identifier: MIT
#include "counts/profile.h"

#include "trace/trace_builder.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(Profile, CountsEachInstructionAsTheStepsDo) {
  const Bytes bytes = small_recording();
  auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.has_value());
  twinrun::Run run(std::move(*reader));
  const auto got = profile(run, {1, 2});
  ASSERT_TRUE(got.has_value()) << got.error().message;
  uint64_t total = 0;
  std::map<uint64_t, uint64_t> counts;
  for (const InstructionCount& row : got->instructions) {
    total += row.count;
    counts[row.address.value] = row.count;
    EXPECT_EQ(row.module, "/bin/prog");
  }
  EXPECT_EQ(total, run.reader().instructions());
  // /bin/prog is mapped at 0x1000 from its offset 0. The rep movsb at 0x1009: three iterations, and
  // four times the counter was zero at once.
  EXPECT_EQ(counts[0x9], 3u + 4u);
  // 0x100d ran twice whole; a signal cut the third execution behind its first instruction.
  EXPECT_EQ(counts[0xd], 3u);
  EXPECT_EQ(counts[0xe], 2u);
  ASSERT_EQ(got->functions.size(), 1u);
  EXPECT_EQ(got->functions[0].instructions, total);
}

}  // namespace
}  // namespace twinrun
