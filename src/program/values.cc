// SPDX-License-Identifier: MIT
#include "program/values.h"

#include <fmt/format.h>

namespace twinrun {
namespace {

constexpr uint64_t kMostBytes = 1 << 20;

bool bit_at(const Bytes& bytes, uint64_t bit) { return (bytes[bit / 8] >> (bit % 8) & 1) != 0; }

ReadBytes read_register(const Location& location, uint64_t size, const ValueSource& source) {
  if (location.offset > 8 || size > 8 - location.offset)
    return {std::nullopt, "it is in a register of which only 8 bytes are known"};
  const auto value = source.reg(location.reg);
  if (!value) return {std::nullopt, fmt::format("register {} is not known", location.reg)};
  Bytes out(size);
  for (uint64_t i = 0; i < size; ++i)
    out[i] = static_cast<uint8_t>(*value >> (8 * (location.offset + i)));
  return {std::move(out), {}};
}

ReadBytes read_composite(const Location& location, uint64_t size, const ValueSource& source) {
  Bytes out(size);
  const uint64_t first = location.offset * 8;
  const uint64_t last = first + size * 8;
  uint64_t at = 0;
  for (const LocationPiece& piece : location.pieces) {
    const uint64_t begin = std::max(at, first);
    const uint64_t end = std::min(at + piece.bits, last);
    if (begin < end) {
      // The bytes of the piece that hold its bits, from its own beginning.
      const uint64_t piece_bytes = (piece.bit_offset + piece.bits + 7) / 8;
      const ReadBytes part = read_location(piece.where, piece_bytes, source);
      if (!part.bytes) return part;
      for (uint64_t bit = begin; bit < end; ++bit)
        if (bit_at(*part.bytes, bit - at + piece.bit_offset))
          out[(bit - first) / 8] |= static_cast<uint8_t>(1u << ((bit - first) % 8));
    }
    at += piece.bits;
    if (at >= last) return {std::move(out), {}};
  }
  return {std::nullopt, "its pieces do not cover it"};
}

}  // namespace

Location Location::unavailable(std::string why) {
  Location out;
  out.reason = std::move(why);
  return out;
}

Location Location::in_memory(uint64_t address) {
  Location out;
  out.kind = Kind::kMemory;
  out.address = address;
  return out;
}

Location Location::part(uint64_t at) const {
  Location out = *this;
  (kind == Kind::kMemory ? out.address : out.offset) += at;
  return out;
}

ReadBytes read_location(const Location& location, uint64_t size, const ValueSource& source) {
  if (size > kMostBytes) return {std::nullopt, "it is too large"};
  if (location.offset > kMostBytes) return {std::nullopt, "it lies outside its object"};
  switch (location.kind) {
    case Location::Kind::kMemory: {
      Bytes out(size);
      if (!source.memory(location.address, out))
        return {std::nullopt, fmt::format("memory at {:#x} is not known", location.address)};
      return {std::move(out), {}};
    }
    case Location::Kind::kRegister: return read_register(location, size, source);
    case Location::Kind::kValue: {
      if (location.offset > location.value.size() || size > location.value.size() - location.offset)
        return {std::nullopt, "fewer bytes of it are known"};
      const auto begin = location.value.begin() + static_cast<ptrdiff_t>(location.offset);
      return {Bytes(begin, begin + static_cast<ptrdiff_t>(size)), {}};
    }
    case Location::Kind::kComposite: return read_composite(location, size, source);
    case Location::Kind::kUnavailable: break;
  }
  return {std::nullopt, location.reason};
}

}  // namespace twinrun
