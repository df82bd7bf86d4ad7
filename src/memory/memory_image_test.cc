// SPDX-License-Identifier: MIT
#include "memory/memory_image.h"

#include <gtest/gtest.h>

#include <random>

namespace twinrun {
namespace {

/// The same, a byte at a time.
struct Model {
  struct Byte {
    uint8_t value = 0;
    bool known = false, stored = false, inside = false, lost = false;
  };
  std::vector<Byte> bytes;
};

TEST(MemoryImage, IsWhatASimpleModelSays) {
  constexpr uint64_t kBase = 0x10000;
  constexpr uint64_t kSize = 4 * MemoryImage::kPage;
  std::mt19937 random(5);
  MemoryImage image;
  Model model{std::vector<Model::Byte>(kSize)};
  for (int i = 0; i < 20000; ++i) {
    const uint64_t at = random() % kSize;
    const uint64_t longest = random() % 8 == 0 ? 2 * MemoryImage::kPage : 40;
    const uint64_t size = std::min(random() % longest + 1, kSize - at);
    Bytes bytes(size);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % 4);
    const unsigned what = random() % 40;
    if (what < 20) {
      const bool inside = random() % 3 == 0;
      image.store(kBase + at, bytes, inside);
      for (uint64_t k = 0; k < size; ++k)
        model.bytes[at + k] = {bytes[k], true, true, inside, false};
    } else if (what < 30) {
      // What the program finds is what is there, but for what was changed unseen.
      for (uint64_t k = 0; k < size; ++k)
        if (model.bytes[at + k].known) bytes[k] = model.bytes[at + k].value;
      image.load(kBase + at, bytes);
      for (uint64_t k = 0; k < size; ++k) {
        Model::Byte& byte = model.bytes[at + k];
        if (byte.lost) byte = {bytes[k], true, true, byte.inside, false};
      }
    } else if (what < 35) {
      image.begin_region(kBase + at, size);
      for (uint64_t k = 0; k < size; ++k)
        model.bytes[at + k].stored = model.bytes[at + k].inside = false;
    } else if (what < 37) {
      image.renew(kBase + at, size);
      for (uint64_t k = 0; k < size; ++k) model.bytes[at + k] = {};
    } else if (what < 39) {
      image.lose(kBase + at, size);
      for (uint64_t k = 0; k < size; ++k)
        model.bytes[at + k] = {model.bytes[at + k].value, false, true, false, true};
    } else {
      const uint64_t from = random() % 4;
      const uint64_t to = (from + 1 + random() % 3) % 4;
      image.move(kBase + from * MemoryImage::kPage, kBase + to * MemoryImage::kPage,
                 MemoryImage::kPage);
      for (uint64_t k = 0; k < MemoryImage::kPage; ++k) {
        model.bytes[to * MemoryImage::kPage + k] = model.bytes[from * MemoryImage::kPage + k];
        model.bytes[from * MemoryImage::kPage + k] = {};
      }
    }
    if (i % 50 != 0) continue;
    for (uint64_t k = 0; k < kSize; ++k) {
      const uint64_t address = kBase + k;
      const MemoryImage::Page* page = image.page(address / MemoryImage::kPage);
      const Model::Byte& byte = model.bytes[k];
      const auto has = [&](const MemoryImage::Bits MemoryImage::Page::* bits) {
        return page != nullptr && MemoryImage::bit(page->*bits, address);
      };
      ASSERT_EQ(has(&MemoryImage::Page::known), byte.known) << k << " at " << i;
      ASSERT_EQ(has(&MemoryImage::Page::stored), byte.stored) << k << " at " << i;
      ASSERT_EQ(has(&MemoryImage::Page::inside), byte.inside) << k << " at " << i;
      ASSERT_EQ(has(&MemoryImage::Page::lost), byte.lost) << k << " at " << i;
      if (byte.known) {
        ASSERT_EQ(page->bytes[address % MemoryImage::kPage], byte.value) << k;
      }
    }
  }
}

TEST(MemoryImage, CarriesWhatIsStoredOver) {
  MemoryImage image;
  image.store(0x1ffe, Bytes{1, 2, 3, 4}, false);
  const std::vector<bool> stored = image.stored(0x1ffc, 8);
  EXPECT_EQ(stored, (std::vector<bool>{false, false, true, true, true, true, false, false}));
  image.store(0x3000, Bytes(8, 7), true);
  image.set_stored(0x3000, stored);
  EXPECT_EQ(image.stored(0x3000, 8), stored);
  EXPECT_FALSE(MemoryImage::bit(image.page(3)->inside, 0x3002));
}

}  // namespace
}  // namespace twinrun
