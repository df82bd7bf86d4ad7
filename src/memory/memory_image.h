// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace twinrun {

/// The contents of a process's memory while a walk goes over it, and how each byte got there. What
/// nobody has stored is as it was mapped and takes no room: memory follows what the program writes
/// (a page of it costs a page and a half).
class MemoryImage {
 public:
  static constexpr uint64_t kPage = 4096;
  /// One bit a byte.
  using Bits = std::array<uint64_t, kPage / 64>;
  struct Page {
    std::array<uint8_t, kPage> bytes;
    Bits known{};   // `bytes` has it
    Bits stored{};  // the program, or the kernel for it, has written it since its region's birth
    Bits inside{};  // by an allocator
    Bits lost{};    // it was changed to nobody knows what
  };

  MemoryImage() : recent_{} {}

  /// The program has found these bytes, which tells what was changed unseen.
  void load(uint64_t address, ByteSpan bytes) {
    if ((unsure_ >> (address / kPage % 64) & 1) != 0 ||
        (unsure_ >> ((address + bytes.size()) / kPage % 64) & 1) != 0)
      learn(address, bytes);
  }
  /// What is there at the start is not known: loads tell.
  void begin_late() {
    is_late_ = true;
    distrust();
  }
  [[nodiscard]] bool begins_late() const { return is_late_; }
  /// From now on others change memory unseen: every load is looked at.
  void distrust() { unsure_ = ~uint64_t{0}; }
  void store(uint64_t address, ByteSpan bytes, bool by_allocator);
  /// Mapped, or unmapped: nothing has been stored there.
  void renew(uint64_t address, uint64_t length);
  /// The pages have moved. Both ranges begin at a page.
  void move(uint64_t from, uint64_t to, uint64_t length);
  void lose(uint64_t address, uint64_t length);

  /// A region begins there: what is in it counts as not stored, whatever it is.
  void begin_region(uint64_t address, uint64_t length);
  /// Which of the bytes are stored, and the same again for other bytes (from then on).
  [[nodiscard]] std::vector<bool> stored(uint64_t address, uint64_t length);
  void set_stored(uint64_t address, const std::vector<bool>& stored);

  /// Null when nothing has been stored in it. `number`: address / kPage.
  [[nodiscard]] const Page* page(uint64_t number) const;

  static bool bit(const Bits& bits, uint64_t address) {
    return (bits[address % kPage / 64] >> (address % 64) & 1) != 0;
  }

 private:
  static constexpr size_t kRecent = 256;
  struct Recent {
    uint64_t number = ~uint64_t{0};
    Page* page = nullptr;
  };
  void learn(uint64_t address, ByteSpan bytes);
  Page* find(uint64_t number);
  Page& make(uint64_t number);
  /// Calls `change` with the pages that exist and overlap the range, and the part in it.
  void for_range(uint64_t address, uint64_t length,
                 const std::function<void(Page&, uint64_t first, uint64_t size)>& change);

  std::array<Recent, kRecent> recent_;
  bool is_late_ = false;
  uint64_t unsure_ = 0;  // bit n: a page whose number is n modulo 64 has bytes that loads can tell
  boost::unordered_flat_map<uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace twinrun
