// SPDX-License-Identifier: MIT
#include "report/source_text.h"

#include "base/files.h"

#include <algorithm>

namespace twinrun {

std::string SourceText::line(const std::string& file, uint32_t number) {
  if (file.empty() || number == 0) return {};
  const auto [found, is_new] = files_.try_emplace(file);
  if (is_new) {
    if (const auto contents = read_file(file)) {
      std::vector<std::string>& lines = found->second;
      lines.emplace_back();
      for (const uint8_t c : *contents) {
        if (c == '\n')
          lines.emplace_back();
        else
          lines.back().push_back(static_cast<char>(c));
      }
    }
  }
  if (number > found->second.size()) return {};
  const std::string& text = found->second[number - 1];
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace twinrun
