// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace twinrun {

static_assert(std::endian::native == std::endian::little, "traces are little-endian, so are we");

using ByteSpan = std::span<const uint8_t>;
using Bytes = std::vector<uint8_t>;

/// Appends little-endian fields, LEB128 numbers and length-prefixed strings.
class ByteWriter {
 public:
  template <std::integral T>
  void fixed(T value) {
    const auto* p = reinterpret_cast<const uint8_t*>(&value);
    out_.insert(out_.end(), p, p + sizeof value);
  }
  void varint(uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<uint8_t>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<uint8_t>(value));
  }
  void raw(ByteSpan bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  void string(std::string_view text) {
    varint(text.size());
    raw({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  [[nodiscard]] const Bytes& bytes() const { return out_; }
  [[nodiscard]] Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

/// Reads what ByteWriter writes from untrusted bytes. A read past the end sets `failed()` and
/// yields zeros, so that a parser can read a whole record and check once.
class ByteReader {
 public:
  explicit ByteReader(ByteSpan bytes) : bytes_(bytes) {}

  template <std::integral T>
  T fixed() {
    T value{};
    if (ByteSpan p = take(sizeof value); !p.empty()) std::memcpy(&value, p.data(), sizeof value);
    return value;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) break;
      const uint8_t byte = bytes_[at_++];
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }
  /// Empty when fewer than `size` bytes are left.
  ByteSpan take(uint64_t size) {
    if (size > bytes_.size() - at_) {
      failed_ = true;
      at_ = bytes_.size();
      return {};
    }
    ByteSpan out = bytes_.subspan(at_, size);
    at_ += size;
    return out;
  }
  std::string_view string() {
    ByteSpan p = take(varint());
    return {reinterpret_cast<const char*>(p.data()), p.size()};
  }

  [[nodiscard]] size_t position() const { return at_; }
  [[nodiscard]] size_t left() const { return bytes_.size() - at_; }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  ByteSpan bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace twinrun
