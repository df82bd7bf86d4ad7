// SPDX-License-Identifier: MIT
#include "paths/number_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace twinrun {
namespace {

TEST(NumberTable, FindsWhatItHasWhateverTheHashes) {
  // All hashes different, few of them, and one.
  for (const uint64_t different : {uint64_t{1} << 40, uint64_t{7}, uint64_t{1}}) {
    std::vector<std::string> words;
    NumberTable table;
    const auto hash_of = [&](const std::string& word) {
      return std::hash<std::string>()(word) % different;
    };
    const auto find = [&](const std::string& word) {
      return table.find(hash_of(word), [&](uint32_t number) { return words[number] == word; });
    };
    for (uint32_t i = 0; i < 2000; ++i) {
      const std::string word = std::to_string(i * 7);
      ASSERT_EQ(find(word), NumberTable::kNone);
      words.push_back(word);
      table.add(i, [&](uint32_t number) { return hash_of(words[number]); });
    }
    for (uint32_t i = 0; i < 2000; ++i) ASSERT_EQ(find(words[i]), i);
    EXPECT_EQ(find("1"), NumberTable::kNone);
  }
}

}  // namespace
}  // namespace twinrun
