// SPDX-License-Identifier: MIT
// The unit tests of a module are one program. `--file=module/foo_test.cc` runs those of one file:
// CTest runs them file by file, so that a failure names the file and long ones run beside each
// other.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

/// A filter of GoogleTest that names every test of the file; empty when there is none.
std::string tests_of(std::string_view file) {
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (!std::string_view(test.file()).ends_with(fmt::format("/{}", file))) continue;
      filter += fmt::format("{}{}.{}", filter.empty() ? "" : ":", suite.name(), test.name());
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  constexpr std::string_view kFlag = "--file=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with(kFlag)) {
      fmt::print(stderr, "no flag of unit tests: {}\n", word);
      return 2;
    }
    const std::string filter = tests_of(word.substr(kFlag.size()));
    if (filter.empty()) {
      fmt::print(stderr, "no test is in {}\n", word.substr(kFlag.size()));
      return 2;
    }
    testing::GTEST_FLAG(filter) = filter;
  }
  return RUN_ALL_TESTS();
}
