// SPDX-License-Identifier: MIT
#include "trace/maps.h"

#include "trace/trace_builder.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace twinrun {
namespace {

class Maps {
 public:
  void map(uint64_t address, uint64_t length, std::string_view path, uint64_t at,
           std::string_view id = "", uint64_t offset = 0) {
    ByteWriter payload;
    for (const uint64_t field :
         {address, length, uint64_t{5}, uint64_t{TW_MAP_FILE}, offset, uint64_t{1}, uint64_t{2}})
      payload.varint(field);
    payload.string(path);
    payload.string(id);
    apply(TW_EVENT_MAP, payload, at);
  }
  void range(uint8_t kind, std::initializer_list<uint64_t> fields, uint64_t at) {
    ByteWriter payload;
    for (const uint64_t field : fields) payload.varint(field);
    apply(kind, payload, at);
  }
  std::string at(uint64_t address, uint64_t at) const {
    const Mapping* mapping = history.find({address}, at);
    if (mapping == nullptr) return "";
    return fmt::format("{}+{:#x}", history.files()[mapping->file].path,
                       mapping->offset + address - mapping->start.value);
  }
  MapHistory history;

 private:
  void apply(uint8_t kind, const ByteWriter& payload, uint64_t at) {
    history.apply({event_kind(kind), kind, 0, payload.bytes()}, at);
  }
};

TEST(MapHistory, TheContentOfAnAddressDependsOnTheTime) {
  Maps maps;
  maps.map(0x1000, 0x3000, "a", 0, "id");
  maps.map(0x2000, 0x1000, "b", 10);
  maps.range(TW_EVENT_UNMAP, {0x3000, 0x1000}, 20);
  EXPECT_EQ(maps.at(0x2800, 5), "a+0x1800");
  EXPECT_EQ(maps.at(0x2800, 10), "b+0x800");
  EXPECT_EQ(maps.at(0x1800, 100), "a+0x800");
  EXPECT_EQ(maps.at(0x3800, 15), "a+0x2800");
  EXPECT_EQ(maps.at(0x3800, 20), "");
  EXPECT_EQ(maps.at(0x4000, 0), "");
}

TEST(MapHistory, ProtectionAndMovesKeepTheFile) {
  Maps maps;
  maps.map(0x1000, 0x3000, "a", 0);
  maps.range(TW_EVENT_PROTECT, {0x2000, 0x1000, 3}, 1);
  EXPECT_EQ(maps.at(0x2800, 2), "a+0x1800");
  EXPECT_EQ(maps.history.find({0x2800}, 2)->prot, 3u);
  EXPECT_EQ(maps.history.find({0x2800}, 0)->prot, 5u);
  maps.range(TW_EVENT_REMAP, {0x1000, 0x9000, 0x3000}, 5);
  EXPECT_EQ(maps.at(0x2800, 6), "");
  EXPECT_EQ(maps.at(0xa800, 6), "a+0x1800");
}

TEST(MapHistory, LaterPartsOfAFileShareItsBuildId) {
  Maps maps;
  maps.map(0x1000, 0x1000, "a", 0, "id");
  maps.map(0x2000, 0x1000, "a", 0, "", 0x1000);
  ASSERT_EQ(maps.history.files().size(), 1u);
  EXPECT_EQ(maps.history.files()[0].build_id, (Bytes{'i', 'd'}));
}

RC_GTEST_PROP(MapHistory, AgreesWithAnArrayOfPages, ()) {
  constexpr int kPages = 24;
  Maps maps;
  std::vector<std::array<int, kPages>> truth(1);
  truth[0].fill(-1);
  const int steps = *rc::gen::inRange(1, 30);
  for (int t = 1; t <= steps; ++t) {
    std::array<int, kPages> now = truth.back();
    const int start = *rc::gen::inRange(0, kPages);
    const int length = *rc::gen::inRange(0, kPages - start + 1);
    if (*rc::gen::inRange(0, 3) != 0) {
      // One file per mapping; the offset tells pages apart.
      maps.map(start, length, fmt::format("f{}", t), t, "", 0);
      for (int i = 0; i < length; ++i) now[start + i] = t * 100 + i;
    } else {
      maps.range(TW_EVENT_UNMAP, {uint64_t(start), uint64_t(length)}, t);
      for (int i = 0; i < length; ++i) now[start + i] = -1;
    }
    truth.push_back(now);
  }
  for (int t = 0; t <= steps; ++t)
    for (int page = 0; page < kPages; ++page) {
      const int expected = truth[t][page];
      RC_ASSERT(maps.at(page, t) ==
                (expected < 0 ? "" : fmt::format("f{}+{:#x}", expected / 100, expected % 100)));
    }
}

TEST(MapHistory, AForkedProcessStartsWithItsParentsMaps) {
  const Bytes bytes = small_recording();
  const auto reader = Reader::open_memory(bytes);
  const auto child = map_history(**reader, 2);
  ASSERT_TRUE(child.has_value());
  const Mapping* mapping = child->find({0x1234}, 0);
  ASSERT_NE(mapping, nullptr);
  EXPECT_EQ(child->files()[mapping->file].path, "/bin/prog");
}

}  // namespace
}  // namespace twinrun
