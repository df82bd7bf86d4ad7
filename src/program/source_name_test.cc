// SPDX-License-Identifier: MIT
#include "program/source_name.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(SourceName, IsWhatPeopleWrote) {
  EXPECT_EQ(source_name("main"), "main");
  EXPECT_EQ(source_name("_ZN2ns1fIiEEic"), "ns::f<int>");
  EXPECT_EQ(source_name("_ZdlPvm"), "operator delete");
  EXPECT_EQ(source_name("_Z_is_none"), "_Z_is_none");
}

TEST(SourceName, StubsAreCalledAfterWhatTheyLeadTo) {
  EXPECT_EQ(source_name("_ZdlPvm@plt"), "operator delete@plt");
  EXPECT_EQ(source_name("malloc@plt"), "malloc@plt");
}

}  // namespace
}  // namespace twinrun
