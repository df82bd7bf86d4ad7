// SPDX-License-Identifier: MIT
#pragma once

#include "run/structural_index.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// The entries of a structural index. A vector whose elements are written where they are to be: of
/// a walk's time a fifth went into making entries elsewhere and copying them, because the copy
/// waits for the fields. Nothing is destroyed and nothing is set to zero when it shrinks and grows.
class IndexStack {
 public:
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  IndexEntry& operator[](size_t i) { return room_[i]; }
  const IndexEntry& operator[](size_t i) const { return room_[i]; }
  IndexEntry& back() { return room_[size_ - 1]; }
  [[nodiscard]] const IndexEntry* data() const { return room_.data(); }
  [[nodiscard]] IndexEntry* data() { return room_.data(); }
  /// Entries that can be written at data() before it must grow.
  [[nodiscard]] size_t room() const { return room_.size(); }
  [[nodiscard]] std::span<const IndexEntry> entries() const { return {data(), size_}; }

  [[gnu::always_inline]] void push(IndexEntry::Kind kind, CodeNode site, CodeNode outcome,
                                   CodeNode until) {
    if (size_ == room_.size()) [[unlikely]]
      grow();
    begin(room_[size_++], kind, site, outcome, until);
  }
  /// Writes all of an entry in its place: what was there before belonged to another.
  [[gnu::always_inline]] static void begin(IndexEntry& entry, IndexEntry::Kind kind, CodeNode site,
                                           CodeNode outcome, CodeNode until) {
    entry.kind = kind;
    entry.site = site;
    entry.outcome = outcome;
    entry.until = until;
    entry.count = 1;
    entry.jumps = 0;
  }
  void push_back(const IndexEntry& entry) {
    if (size_ == room_.size()) grow();
    room_[size_++] = entry;
  }
  /// To a smaller size, or to one whose entries have been written.
  void resize(size_t size) { size_ = size; }
  void clear() { size_ = 0; }
  void grow() { room_.resize(std::max<size_t>(64, room_.size() * 2)); }

 private:
  std::vector<IndexEntry> room_;
  size_t size_ = 0;
};

}  // namespace twinrun
