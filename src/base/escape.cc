// SPDX-License-Identifier: MIT
#include "base/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace twinrun {
namespace {

struct Decoded {
  uint32_t code_point = 0;
  size_t size = 0;  // 0: not the start of a valid UTF-8 sequence
};

Decoded decode_utf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  uint32_t code_point = lead & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code_point = code_point << 6 | (byte(i) & 0x3f);
  }
  const uint32_t smallest = size == 4 ? 0x10000 : size == 3 ? 0x800 : 0x80;
  const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  if (code_point < smallest || code_point > 0x10ffff || surrogate) return {};
  return {code_point, size};
}

bool is_hostile(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) ||  // C0, DEL, C1
         c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) ||                 // bidirectional controls
         c == 0x2028 || c == 0x2029 || c == 0xfeff ||    // line controls, byte order mark
         (c >= 0x200b && c <= 0x200d) || c == 0x2060 ||  // zero width
         (c >= 0xe0000 && c <= 0xe007f);                 // invisible tags
}

}  // namespace

std::string escape_for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code_point, size] = decode_utf8(text);
    if (size == 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<uint8_t>(text[0]));
    } else if (code_point == '\n') {
      out += "\\n";
    } else if (code_point == '\t') {
      out += "\\t";
    } else if (!is_hostile(code_point)) {
      out += text.substr(0, size);
    } else if (code_point < 0x80) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", code_point);
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", code_point);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

namespace {

/// How many bytes from the beginning on need no second look.
size_t plain_size(std::string_view text) {
  size_t out = 0;
  while (out < text.size() && text[out] >= ' ' && text[out] < 0x7f) ++out;
  return out;
}

/// Of a sequence that sets colours or weights at the beginning; 0: there is none.
size_t color_size(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string escape_lines(std::string_view text, bool colors) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t passes = plain_size(text);
    if (passes == 0 && (text[0] == '\n' || text[0] == '\t')) passes = 1;
    if (passes == 0 && colors) passes = color_size(text);
    if (passes != 0) {
      out += text.substr(0, passes);
    } else {
      passes = std::max<size_t>(decode_utf8(text).size, 1);
      out += escape_for_terminal(text.substr(0, passes));
    }
    text.remove_prefix(passes);
  }
  return out;
}

std::string escape_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    // Outside of strings there are lines and nothing else that is no plain character.
    size_t passes = json[0] == '\n' ? 1 : plain_size(json);
    if (passes == 0) {
      const auto [code_point, size] = decode_utf8(json);
      passes = std::max<size_t>(size, 1);
      if (size == 0 || !is_hostile(code_point)) {
        out += json.substr(0, passes);
      } else if (code_point < 0x10000) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", code_point);
      } else {
        const uint32_t rest = code_point - 0x10000;
        fmt::format_to(std::back_inserter(out), "\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10),
                       0xdc00 + (rest & 0x3ff));
      }
    } else {
      out += json.substr(0, passes);
    }
    json.remove_prefix(passes);
  }
  return out;
}

std::string quote_for_shell(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return escape_for_terminal(out + "'");
}

}  // namespace twinrun
