// SPDX-License-Identifier: MIT
#include "trace/initial_stack.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(InitialStack, VectorsAndStringsAreFound) {
  constexpr uint64_t kBase = 0x7000;
  ByteWriter out;
  for (const uint64_t word :
       {uint64_t{2}, kBase + 88, kBase + 91, uint64_t{0}, kBase + 94, uint64_t{0}, uint64_t{6},
        uint64_t{4096}, uint64_t{0}, uint64_t{0}, uint64_t{0}})
    out.fixed(word);
  for (const char c : {'a', 'b', '\0', 'c', 'd', '\0', 'E', '=', '1', '\0'})
    out.fixed(static_cast<uint8_t>(c));
  const InitialStack stack = parse_initial_stack({kBase}, out.bytes());
  EXPECT_EQ(stack.argv, (std::vector<std::string>{"ab", "cd"}));
  EXPECT_EQ(stack.env, std::vector<std::string>{"E=1"});
  ASSERT_EQ(stack.auxv.size(), 1u);
  EXPECT_EQ(stack.auxv[0], std::pair(uint64_t{6}, uint64_t{4096}));
}

TEST(InitialStack, HostileBytesEndTheVectors) {
  ByteWriter out;
  out.fixed(~uint64_t{0});
  out.fixed(uint64_t{1});
  const InitialStack stack = parse_initial_stack({0}, out.bytes());
  ASSERT_EQ(stack.argv.size(), 1u);
  EXPECT_TRUE(parse_initial_stack({0}, {}).argv.empty());
}

}  // namespace
}  // namespace twinrun
