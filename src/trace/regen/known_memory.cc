// SPDX-License-Identifier: MIT
#include "trace/regen/known_memory.h"

#include <algorithm>
#include <cstring>

namespace twinrun {

KnownMemory::Page* KnownMemory::find(uint64_t number) {
  Recent& recent = recent_[number % kRecent];
  if (recent.number == number) return recent.page;
  const auto found = pages_.find(number);
  if (found == pages_.end()) return nullptr;
  recent = {number, found->second.get()};
  return recent.page;
}

KnownMemory::Page& KnownMemory::make(uint64_t number) {
  if (Page* page = find(number)) return *page;
  auto& slot = pages_[number];
  slot = std::make_unique<Page>();
  recent_[number % kRecent] = {number, slot.get()};
  return *slot;
}

void KnownMemory::write(uint64_t address, ByteSpan bytes) {
  while (!bytes.empty()) {
    const size_t at = address % kPage;
    const size_t part = std::min<size_t>(bytes.size(), kPage - at);
    Page& page = make(address / kPage);
    std::memcpy(page.bytes.data() + at, bytes.data(), part);
    std::memset(page.known.data() + at, 0xff, part);
    address += part;
    bytes = bytes.subspan(part);
  }
}

void KnownMemory::forget(uint64_t address, uint64_t length) {
  if (length == 0) return;
  const uint64_t last = address + (length - 1) < address ? ~uint64_t{0} : address + (length - 1);
  const uint64_t first_page = address / kPage;
  const uint64_t last_page = last / kPage;
  const auto forget_in = [&](uint64_t number, Page& page) {
    const uint64_t from = number == first_page ? address % kPage : 0;
    const uint64_t to = number == last_page ? last % kPage : kPage - 1;
    std::memset(page.known.data() + from, 0, to - from + 1);
  };
  if (last_page - first_page < pages_.size()) {
    for (uint64_t number = first_page; number <= last_page; ++number) {
      if (Page* page = find(number)) forget_in(number, *page);
    }
    return;
  }
  for (auto& [number, page] : pages_) {
    if (number >= first_page && number <= last_page) forget_in(number, *page);
  }
}

std::optional<uint8_t> KnownMemory::byte(uint64_t address) {
  Page* page = find(address / kPage);
  if (page == nullptr || page->known[address % kPage] == 0) return std::nullopt;
  return page->bytes[address % kPage];
}

std::optional<KnownMemory::Difference> KnownMemory::compare_in(Page& page, uint64_t address,
                                                               ByteSpan loaded) {
  const size_t at = address % kPage;
  for (size_t i = 0; i < loaded.size(); ++i) {
    if (page.known[at + i] == 0) continue;
    if (page.bytes[at + i] != loaded[i]) return {{address + i, page.bytes[at + i], loaded[i]}};
  }
  return std::nullopt;
}

std::optional<KnownMemory::Difference> KnownMemory::compare(uint64_t address, ByteSpan loaded) {
  const size_t at = address % kPage;
  if (loaded.size() == 8 && at <= kPage - 8) {  // nearly all of them
    Page* page = find(address / kPage);
    if (page == nullptr) return std::nullopt;
    uint64_t known;
    uint64_t bytes;
    uint64_t value;
    std::memcpy(&known, page->known.data() + at, 8);
    std::memcpy(&bytes, page->bytes.data() + at, 8);
    std::memcpy(&value, loaded.data(), 8);
    if (((bytes ^ value) & known) == 0) return std::nullopt;
    return compare_in(*page, address, loaded);
  }
  while (!loaded.empty()) {
    const size_t part = std::min<size_t>(loaded.size(), kPage - address % kPage);
    if (Page* page = find(address / kPage)) {
      if (const auto difference = compare_in(*page, address, loaded.first(part))) return difference;
    }
    address += part;
    loaded = loaded.subspan(part);
  }
  return std::nullopt;
}

}  // namespace twinrun
