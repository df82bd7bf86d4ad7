// SPDX-License-Identifier: MIT
#include "trace/regen/effects.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

constexpr uint32_t kAddress = kTempsOffset;
constexpr uint32_t kValue = kTempsOffset + 8;
constexpr uint32_t kGuard = kTempsOffset + 16;

/// A load, a store under a guard and the second half of a double load, one in each instruction.
CompiledBlock sample() {
  CompiledBlock out;
  out.accesses = {
      {.op = 0, .instruction = 0, .address = kAddress, .value = kValue, .size = 8},
      {.op = 2,
       .instruction = 1,
       .address = kAddress,
       .value = kValue,
       .guard = kGuard,
       .size = 4,
       .kind = MemoryAccess::Kind::kStore},
      {.op = 3,
       .instruction = 2,
       .address = kAddress,
       .value = kValue,
       .size = 8,
       .displacement = 8},
  };
  return out;
}

class Effects : public testing::Test {
 protected:
  Effects() : machine_(512) {
    machine_.word(kAddress) = 0x1000;
    machine_.word(kValue) = 0x1122334455667788;
    machine_.word(kGuard) = 1;
  }
  std::vector<uint64_t> addresses(uint32_t ops, uint32_t instructions = ~0u) {
    std::vector<uint64_t> out;
    for_each_access(
        machine_, code_, ops, [&](const DoneAccess& access) { out.push_back(access.address); },
        instructions);
    return out;
  }

  Machine machine_;
  CompiledBlock code_ = sample();
};

using Addresses = std::vector<uint64_t>;

TEST_F(Effects, AccessesOfAWholeBlockHappenInOrder) {
  EXPECT_EQ(addresses(4), (Addresses{0x1000, 0x1000, 0x1008}));
  std::vector<std::pair<bool, Bytes>> seen;
  for_each_access(machine_, code_, 4, [&](const DoneAccess& access) {
    seen.emplace_back(access.is_store(), Bytes(access.bytes().begin(), access.bytes().end()));
  });
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_FALSE(seen[0].first);
  EXPECT_TRUE(seen[1].first);
  EXPECT_EQ(seen[1].second, (Bytes{0x88, 0x77, 0x66, 0x55}));
}

TEST_F(Effects, AnAccessBehindTheLastStepDoesNotHappen) {
  EXPECT_EQ(addresses(0), Addresses{});
  EXPECT_EQ(addresses(1), Addresses{0x1000});
  EXPECT_EQ(addresses(2), Addresses{0x1000});
  EXPECT_EQ(addresses(3), (Addresses{0x1000, 0x1000}));
}

TEST_F(Effects, InstructionsCanBeLimited) {
  EXPECT_EQ(addresses(4, 0), Addresses{});
  EXPECT_EQ(addresses(4, 2), (Addresses{0x1000, 0x1000}));
}

TEST_F(Effects, AGuardIsItsLowestBit) {
  machine_.word(kGuard) = 2;
  EXPECT_EQ(addresses(4), (Addresses{0x1000, 0x1008}));
  std::vector<bool> done;
  for_each_reached(machine_, code_, 4,
                   [&](const DoneAccess& /*access*/, bool did) { done.push_back(did); });
  EXPECT_EQ(done, (std::vector<bool>{true, false, true}));
  machine_.word(kGuard) = 3;
  EXPECT_EQ(addresses(4).size(), 3u);
}

}  // namespace
}  // namespace twinrun
