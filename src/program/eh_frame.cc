// SPDX-License-Identifier: MIT
// .eh_frame and .gcc_except_table (LSB core, "Exception Frames"; Itanium C++ ABI, "Exception
// Handling Tables"), read from untrusted bytes: every read is bounded by the section's bytes, and
// each entry consumes at least four of them, so reading ends.
#include "program/eh_frame.h"

#include <algorithm>
#include <map>
#include <string>

namespace twinrun {
namespace {

// DW_EH_PE_*: how a pointer is written.
constexpr uint8_t kOmitted = 0xff;
constexpr uint8_t kFormatMask = 0x0f;
constexpr uint8_t kApplicationMask = 0x70;
constexpr uint8_t kIndirect = 0x80;
constexpr uint8_t kPcRelative = 0x10;

// Bytes with their address.
class Cursor {
 public:
  Cursor(ByteSpan bytes, uint64_t address) : in_(bytes), address_(address) {}

  [[nodiscard]] bool failed() const { return in_.failed(); }
  [[nodiscard]] bool at_end() const { return in_.at_end(); }
  [[nodiscard]] size_t left() const { return in_.left(); }
  [[nodiscard]] uint64_t address() const { return address_ + in_.position(); }
  template <typename T>
  T fixed() {
    return in_.fixed<T>();
  }
  uint64_t unsigned_leb() { return in_.varint(); }
  int64_t signed_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = in_.fixed<uint8_t>();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      break;
    }
    return static_cast<int64_t>(value);
  }
  Cursor sub(uint64_t size) {
    const uint64_t start = address();
    return {in_.take(size), start};
  }
  std::string string() {
    std::string out;
    while (!in_.at_end()) {
      const auto c = in_.fixed<char>();
      if (c == 0) return out;
      out += c;
    }
    (void)in_.take(1);  // no end: fails
    return out;
  }

  /// Nothing for an omitted one and for kinds that do not occur here. A value of 0 stays 0.
  std::optional<uint64_t> pointer(uint8_t encoding) {
    if (encoding == kOmitted) return std::nullopt;
    const uint64_t here = address();
    uint64_t value = 0;
    switch (encoding & kFormatMask) {
      case 0x00:
      case 0x04:
      case 0x0c: value = fixed<uint64_t>(); break;
      case 0x01: value = unsigned_leb(); break;
      case 0x02: value = fixed<uint16_t>(); break;
      case 0x03: value = fixed<uint32_t>(); break;
      case 0x09: value = static_cast<uint64_t>(signed_leb()); break;
      case 0x0a: value = static_cast<uint64_t>(int64_t{fixed<int16_t>()}); break;
      case 0x0b: value = static_cast<uint64_t>(int64_t{fixed<int32_t>()}); break;
      default: return std::nullopt;
    }
    if (failed()) return std::nullopt;
    if (value == 0) return value;
    if ((encoding & kApplicationMask) == kPcRelative) return value + here;
    if ((encoding & kApplicationMask) != 0) return std::nullopt;
    return value;
  }

 private:
  ByteReader in_;
  uint64_t address_;
};

// Common information entry: how its frame description entries are written.
struct Common {
  uint8_t pointers = 0;
  uint8_t exceptions = kOmitted;
  bool has_length = false;  // of augmentation data
  bool signal_frame = false;
};

std::optional<Common> read_common(Cursor in) {
  Common out;
  const auto version = in.fixed<uint8_t>();
  if (version != 1 && version != 3) return std::nullopt;
  const std::string augmentation = in.string();
  (void)in.unsigned_leb();  // code alignment
  (void)in.signed_leb();    // data alignment
  if (version == 1)
    (void)in.fixed<uint8_t>();  // return address register
  else
    (void)in.unsigned_leb();
  if (augmentation.empty()) return in.failed() ? std::nullopt : std::optional(out);
  if (augmentation[0] != 'z') return std::nullopt;
  out.has_length = true;
  Cursor data = in.sub(in.unsigned_leb());
  for (const char c : augmentation.substr(1)) {
    if (c == 'R') {
      out.pointers = data.fixed<uint8_t>();
    } else if (c == 'L') {
      out.exceptions = data.fixed<uint8_t>();
    } else if (c == 'P') {
      const auto encoding = data.fixed<uint8_t>();
      (void)data.pointer(encoding & ~kIndirect);
    } else if (c == 'S') {
      out.signal_frame = true;
    } else if (c != 'B') {
      return std::nullopt;
    }
  }
  return in.failed() || data.failed() ? std::nullopt : std::optional(out);
}

// Does the frame differ from that of a function's entry before the first instruction? There, only
// the return address is on the stack. Reads up to the first rule that moves on.
bool begins_inside(Cursor rules) {
  while (!rules.at_end()) {
    const auto op = rules.fixed<uint8_t>();
    if (op == 0) continue;  // padding
    if ((op & 0xc0) == 0x80 || op == 0x05 || op == 0x0d || op == 0x0f || op == 0x10)
      return true;  // a register is saved, or the frame is addressed otherwise
    if (op == 0x0e) return rules.unsigned_leb() != 8;  // offset of the frame from rsp
    if (op == 0x0c) return rules.unsigned_leb() != 7 || rules.unsigned_leb() != 8;
    return false;
  }
  return false;
}

std::optional<FrameRange> read_description(Cursor in, const Common& common) {
  FrameRange out;
  out.signal_frame = common.signal_frame;
  const auto start = in.pointer(common.pointers);
  const auto size = in.pointer(common.pointers & kFormatMask);
  if (!start || !size || *size == 0 || *size > UINT64_MAX - *start) return std::nullopt;
  out.start = *start;
  out.size = *size;
  if (common.has_length) {
    Cursor data = in.sub(in.unsigned_leb());
    if (common.exceptions != kOmitted && (common.exceptions & kIndirect) == 0)
      if (auto table = data.pointer(common.exceptions); table && *table != 0)
        out.exceptions = table;
  }
  out.is_piece = !out.signal_frame && !in.failed() && begins_inside(in);
  return out;
}

// The section's bytes, or without section headers what the header of .eh_frame points to.
std::optional<Cursor> find_section(const CodeImage& image) {
  if (const CodeImage::Section* s = image.section(".eh_frame")) {
    const ByteSpan bytes = image.at(s->address);
    return Cursor(bytes.first(std::min<uint64_t>(bytes.size(), s->size)), s->address);
  }
  const auto at = image.eh_frame_header();
  if (!at) return std::nullopt;
  Cursor header(image.at(*at), *at);
  const auto version = header.fixed<uint8_t>();
  const auto encoding = header.fixed<uint8_t>();
  (void)header.fixed<uint16_t>();
  const auto start = header.pointer(encoding);
  if (version != 1 || !start) return std::nullopt;
  return Cursor(image.at(*start), *start);
}

}  // namespace

std::vector<FrameRange> read_eh_frame(const CodeImage& image) {
  std::vector<FrameRange> out;
  auto section = find_section(image);
  if (!section) return out;
  std::map<uint64_t, std::optional<Common>> commons;  // by address
  while (section->left() >= 4) {
    const uint64_t start = section->address();
    uint64_t length = section->fixed<uint32_t>();
    if (length == 0) break;  // the terminator
    if (length == 0xffffffff) length = section->fixed<uint64_t>();
    Cursor entry = section->sub(length);
    if (section->failed()) break;
    const uint64_t id_address = entry.address();
    const auto id = entry.fixed<uint32_t>();
    if (entry.failed()) continue;
    if (id == 0) {
      commons[start] = read_common(entry);
      continue;
    }
    const auto found = commons.find(id_address - id);
    if (found == commons.end()) continue;
    const std::optional<Common>& common = found->second;
    if (!common) continue;
    auto range = read_description(entry, *common);
    if (!range || !image.is_executable(range->start)) continue;
    range->size = std::min<uint64_t>(range->size, image.at(range->start).size());
    out.push_back(*range);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const FrameRange& a, const FrameRange& b) { return a.start < b.start; });
  return out;
}

std::vector<CallSite> read_call_sites(const CodeImage& image, const FrameRange& range) {
  std::vector<CallSite> out;
  if (!range.exceptions) return out;
  Cursor in(image.at(*range.exceptions), *range.exceptions);
  const auto start_encoding = in.fixed<uint8_t>();
  const uint64_t pads = in.pointer(start_encoding).value_or(range.start);
  if (in.fixed<uint8_t>() != kOmitted) (void)in.unsigned_leb();  // types
  const auto encoding = in.fixed<uint8_t>();
  Cursor table = in.sub(in.unsigned_leb());
  while (!in.failed() && !table.at_end()) {
    const auto start = table.pointer(encoding & kFormatMask);
    const auto size = table.pointer(encoding & kFormatMask);
    const auto pad = table.pointer(encoding & kFormatMask);
    (void)table.unsigned_leb();  // action
    if (table.failed() || !start || !size || !pad) break;
    if (*start > range.size || *size > range.size - *start) break;
    if (*pad != 0 && image.is_executable(pads + *pad))
      out.push_back({range.start + *start, range.start + *start + *size, pads + *pad});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const CallSite& a, const CallSite& b) { return a.start < b.start; });
  return out;
}

}  // namespace twinrun
