// SPDX-License-Identifier: MIT
#include "report/folded.h"

#include <gtest/gtest.h>

#include <string>

namespace twinrun {
namespace {

ContextTree tree(uint64_t in_f, uint64_t in_g) {
  ContextTree out;
  out.names = {"", "main", "f;1", "g"};
  out.nodes = {{0, 0, 0}, {0, 1, 0}, {1, 2, in_f}, {2, 3, in_g}};
  return out;
}

TEST(Folded, HasALineForEachStackThatExecutedSomething) {
  std::string text;
  folded_text(tree(5, 7), [&](std::string_view piece) { text += piece; });
  EXPECT_EQ(text, "main;f:1 5\nmain;f:1;g 7\n");
}

TEST(Folded, HasTheCountsOfBoth) {
  std::string text;
  ContextTree other;
  other.names = {"", "g", "main"};
  other.nodes = {{0, 0, 0}, {0, 2, 3}, {1, 1, 4}};
  folded_text(tree(5, 0), other, [&](std::string_view piece) { text += piece; });
  EXPECT_EQ(text, "main 0 3\nmain;f:1 5 0\nmain;g 0 4\n");
}

}  // namespace
}  // namespace twinrun
