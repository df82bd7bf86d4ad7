// SPDX-License-Identifier: MIT
#include "cli/completion/scripts.h"

#include <algorithm>

namespace twinrun {

OfferedValues offered_values(const VerbFlag& flag) {
  OfferedValues out{.words = flag.words};
  for (size_t begin = 0; begin < flag.value.size();) {
    const size_t end = std::min(flag.value.find('|', begin), flag.value.size());
    const std::string part = flag.value.substr(begin, end - begin);
    begin = end + 1;
    const bool literal = std::ranges::none_of(part, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (part == "FILE" || part == "PATH" || part == "BINARY") out.files = true;
    if (part == "RECORDING") out.recordings = true;
    if (literal && std::ranges::find(out.words, part) == out.words.end()) out.words.push_back(part);
  }
  return out;
}

std::string in_quotes(std::string_view text, std::string_view quote_inside) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += quote_inside;
    } else {
      out += c;
    }
  }
  return "'" + out + "'";
}

}  // namespace twinrun
