// SPDX-License-Identifier: MIT
#include "memory/memory_image.h"

#include <algorithm>
#include <cstring>

namespace twinrun {
namespace {

using Bits = MemoryImage::Bits;

void set_bits(Bits& bits, uint64_t first, uint64_t size) {
  if (size < 64 - first % 64) {  // nearly always
    bits[first / 64] |= ((uint64_t{1} << size) - 1) << first % 64;
    return;
  }
  while (size > 0) {
    const uint64_t at = first % 64;
    const uint64_t part = std::min(size, 64 - at);
    bits[first / 64] |= (part == 64 ? ~uint64_t{0} : (uint64_t{1} << part) - 1) << at;
    first += part;
    size -= part;
  }
}

void clear_bits(Bits& bits, uint64_t first, uint64_t size) {
  if (size < 64 - first % 64) {
    bits[first / 64] &= ~(((uint64_t{1} << size) - 1) << first % 64);
    return;
  }
  while (size > 0) {
    const uint64_t at = first % 64;
    const uint64_t part = std::min(size, 64 - at);
    bits[first / 64] &= ~((part == 64 ? ~uint64_t{0} : (uint64_t{1} << part) - 1) << at);
    first += part;
    size -= part;
  }
}

/// All of these bytes are known to be there.
bool has(const MemoryImage::Page& page, uint64_t at, ByteSpan bytes) {
  if (at % 64 + bytes.size() >= 64) return false;
  const uint64_t mask = ((uint64_t{1} << bytes.size()) - 1) << at % 64;
  return (page.known[at / 64] & mask) == mask &&
         std::memcmp(page.bytes.data() + at, bytes.data(), bytes.size()) == 0;
}

}  // namespace

MemoryImage::Page* MemoryImage::find(uint64_t number) {
  Recent& recent = recent_[number % kRecent];
  if (recent.number == number) return recent.page;
  // That there is none is worth remembering, too: programs read their code and constants.
  const auto found = pages_.find(number);
  recent = {number, found == pages_.end() ? nullptr : found->second.get()};
  return recent.page;
}

MemoryImage::Page& MemoryImage::make(uint64_t number) {
  if (Page* page = find(number)) return *page;
  auto& slot = pages_[number];
  slot = std::make_unique<Page>();
  recent_[number % kRecent] = {number, slot.get()};
  return *slot;
}

const MemoryImage::Page* MemoryImage::page(uint64_t number) const {
  const auto found = pages_.find(number);
  return found == pages_.end() ? nullptr : found->second.get();
}

void MemoryImage::store(uint64_t address, ByteSpan bytes, bool by_allocator) {
  const uint64_t in_page = address % kPage;
  if (in_page % 64 + bytes.size() < 64) {  // nearly always
    Page& page = make(address / kPage);
    const uint64_t mask = ((uint64_t{1} << bytes.size()) - 1) << in_page % 64;
    const uint64_t word = in_page / 64;
    page.known[word] |= mask;
    page.stored[word] |= mask;
    page.lost[word] &= ~mask;
    page.inside[word] = by_allocator ? page.inside[word] | mask : page.inside[word] & ~mask;
    if (bytes.size() == 8)
      std::memcpy(page.bytes.data() + in_page, bytes.data(), 8);
    else
      std::memcpy(page.bytes.data() + in_page, bytes.data(), bytes.size());
    return;
  }
  while (!bytes.empty()) {
    const uint64_t at = address % kPage;
    const size_t part = std::min<size_t>(bytes.size(), kPage - at);
    Page& page = make(address / kPage);
    std::memcpy(page.bytes.data() + at, bytes.data(), part);
    set_bits(page.known, at, part);
    set_bits(page.stored, at, part);
    clear_bits(page.lost, at, part);
    if (by_allocator)
      set_bits(page.inside, at, part);
    else
      clear_bits(page.inside, at, part);
    address += part;
    bytes = bytes.subspan(part);
  }
}

void MemoryImage::learn(uint64_t address, ByteSpan bytes) {
  while (!bytes.empty()) {
    const uint64_t at = address % kPage;
    const size_t part = std::min<size_t>(bytes.size(), kPage - at);
    // Of a page in which nothing was stored all is known from what was mapped, but for what was
    // there at the start.
    Page* page = is_late_ ? &make(address / kPage) : find(address / kPage);
    if (page != nullptr && !has(*page, at, bytes.first(part))) {
      for (size_t i = 0; i < part; ++i) {
        const bool is_known = bit(page->known, at + i);
        const bool is_wanted = is_late_ || bit(page->lost, at + i);
        if (is_known ? page->bytes[at + i] == bytes[i] : !is_wanted) continue;
        page->bytes[at + i] = bytes[i];
        set_bits(page->known, at + i, 1);
        set_bits(page->stored, at + i, 1);
        clear_bits(page->lost, at + i, 1);
      }
    }
    address += part;
    bytes = bytes.subspan(part);
  }
}

void MemoryImage::for_range(
    uint64_t address, uint64_t length,
    const std::function<void(Page&, uint64_t first, uint64_t size)>& change) {
  if (length == 0) return;
  const uint64_t last = address + (length - 1) < address ? ~uint64_t{0} : address + (length - 1);
  const auto visit = [&](uint64_t number, Page& page) {
    const uint64_t from = number == address / kPage ? address % kPage : 0;
    const uint64_t to = number == last / kPage ? last % kPage : kPage - 1;
    change(page, from, to - from + 1);
  };
  // A mapping can be huge; then it is cheaper to go over what there is.
  if (last / kPage - address / kPage < pages_.size()) {
    for (uint64_t number = address / kPage; number <= last / kPage; ++number)
      if (Page* page = find(number)) visit(number, *page);
    return;
  }
  for (auto& [number, page] : pages_)
    if (number >= address / kPage && number <= last / kPage) visit(number, *page);
}

void MemoryImage::renew(uint64_t address, uint64_t length) {
  for_range(address, length, [&](Page& page, uint64_t first, uint64_t size) {
    if (size == kPage) {
      page.known = page.stored = page.inside = page.lost = {};
      return;
    }
    for (Bits* bits : {&page.known, &page.stored, &page.inside, &page.lost})
      clear_bits(*bits, first, size);
  });
  // Pages that were dropped as a whole are given back.
  const uint64_t first = (address + kPage - 1) / kPage;
  const uint64_t end = (address + length) / kPage;
  if (end <= first) return;
  if (end - first < pages_.size()) {
    for (uint64_t number = first; number < end; ++number) {
      if (pages_.erase(number) != 0) recent_[number % kRecent] = {};
    }
    return;
  }
  boost::unordered::erase_if(pages_, [&](const auto& entry) {
    if (entry.first < first || entry.first >= end) return false;
    recent_[entry.first % kRecent] = {};
    return true;
  });
}

void MemoryImage::move(uint64_t from, uint64_t to, uint64_t length) {
  std::vector<std::pair<uint64_t, std::unique_ptr<Page>>> moved;
  for (uint64_t i = 0; i < (length + kPage - 1) / kPage; ++i) {
    const auto found = pages_.find(from / kPage + i);
    if (found == pages_.end()) continue;
    moved.emplace_back(to / kPage + i, std::move(found->second));
    pages_.erase(found);
  }
  recent_ = {};
  renew(to, length);
  for (auto& [number, page] : moved) {
    if (page->lost != Bits{}) unsure_ |= uint64_t{1} << (number % 64);
    pages_[number] = std::move(page);
  }
  recent_ = {};
}

void MemoryImage::lose(uint64_t address, uint64_t length) {
  for (uint64_t done = 0; done < length;) {
    const uint64_t at = (address + done) % kPage;
    unsure_ |= uint64_t{1} << ((address + done) / kPage % 64);
    const uint64_t part = std::min(length - done, kPage - at);
    Page& page = make((address + done) / kPage);
    clear_bits(page.known, at, part);
    set_bits(page.stored, at, part);
    clear_bits(page.inside, at, part);
    set_bits(page.lost, at, part);
    done += part;
  }
}

void MemoryImage::begin_region(uint64_t address, uint64_t length) {
  // Nearly always a few bytes of a stack.
  if (length <= kPage - address % kPage) {
    if (Page* page = find(address / kPage)) {
      clear_bits(page->stored, address % kPage, length);
      clear_bits(page->inside, address % kPage, length);
    }
    return;
  }
  for_range(address, length, [](Page& page, uint64_t first, uint64_t size) {
    clear_bits(page.stored, first, size);
    clear_bits(page.inside, first, size);
  });
}

std::vector<bool> MemoryImage::stored(uint64_t address, uint64_t length) {
  std::vector<bool> out(length);
  for (uint64_t i = 0; i < length;) {
    const uint64_t part = std::min(length - i, kPage - (address + i) % kPage);
    if (const Page* page = find((address + i) / kPage)) {
      for (uint64_t k = 0; k < part; ++k) out[i + k] = bit(page->stored, address + i + k);
    }
    i += part;
  }
  return out;
}

void MemoryImage::set_stored(uint64_t address, const std::vector<bool>& stored) {
  for (uint64_t i = 0; i < stored.size();) {
    const uint64_t part = std::min<uint64_t>(stored.size() - i, kPage - (address + i) % kPage);
    if (Page* page = find((address + i) / kPage)) {
      for (uint64_t k = 0; k < part; ++k) {
        const uint64_t at = (address + i + k) % kPage;
        if (stored[i + k])
          set_bits(page->stored, at, 1);
        else
          clear_bits(page->stored, at, 1);
        clear_bits(page->inside, at, 1);
      }
    }
    i += part;
  }
}

}  // namespace twinrun
