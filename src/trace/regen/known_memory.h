// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include <boost/unordered/unordered_flat_map.hpp>

namespace twinrun {

/// The bytes of a process's memory that something in the recording wrote, so that later loads can
/// be compared with them. Memory follows what the program writes: a page of it costs a page and a
/// half.
class KnownMemory {
 public:
  KnownMemory() : recent_{} {}

  void write(uint64_t address, ByteSpan bytes);
  /// The content of these addresses is no longer known.
  void forget(uint64_t address, uint64_t length);

  struct Difference {
    uint64_t address = 0;
    uint8_t known = 0;
    uint8_t loaded = 0;
  };
  /// The first byte that is known to be another one.
  std::optional<Difference> compare(uint64_t address, ByteSpan loaded);

  /// Nothing when it is not known.
  [[nodiscard]] std::optional<uint8_t> byte(uint64_t address);

 private:
  static constexpr uint64_t kPage = 4096;
  static constexpr size_t kRecent = 64;
  struct Page {
    std::array<uint8_t, kPage> bytes;
    std::array<uint8_t, kPage> known{};  // 0xff or 0: compared eight at a time
  };
  Page* find(uint64_t number);
  Page& make(uint64_t number);
  std::optional<Difference> compare_in(Page& page, uint64_t address, ByteSpan loaded);

  struct Recent {
    uint64_t number = ~uint64_t{0};
    Page* page = nullptr;
  };
  std::array<Recent, kRecent> recent_;
  boost::unordered_flat_map<uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace twinrun
