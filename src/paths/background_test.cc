// SPDX-License-Identifier: MIT
#include "paths/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

namespace twinrun {
namespace {

TEST(Background, DoesEverythingInOrder) {
  std::vector<int> done;
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  {
    Background background(3);
    for (const int i : expected) background.give([&done, i] { done.push_back(i); });
    background.wait();
    EXPECT_EQ(done, expected);
    background.give([&] { done.push_back(1000); });
  }
  EXPECT_EQ(done.size(), 1001u);  // what is left is done in the end
}

TEST(Background, LetsNothingPileUp) {
  std::atomic<int> given = 0;
  std::atomic<int> done = 0;
  int most = 0;
  Background background(3);
  for (int i = 0; i < 2000; ++i) {
    background.give([&] { ++done; });
    most = std::max(most, ++given - done);
  }
  background.wait();
  EXPECT_EQ(done, 2000);
  // Three that wait, and the one that is done.
  EXPECT_LE(most, 4);
}

}  // namespace
}  // namespace twinrun
