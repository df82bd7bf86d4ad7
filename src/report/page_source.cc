// SPDX-License-Identifier: MIT
#include "report/page_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace twinrun {
namespace {

constexpr size_t kLineBytes = 1000;  // longer ones are cut

size_t bytes_of(const PageSource& source) {
  size_t out = 0;
  for (const PageSource::Chunk& chunk : source.chunks)
    for (const std::string& line : chunk.lines) out += line.size() + 4;
  return out;
}

/// Lines that the page does not show need no counts.
void add_counts(PageSource& source, const PageFile& file) {
  const auto is_shown = [&](uint32_t line) {
    return std::ranges::any_of(source.chunks, [&](const PageSource::Chunk& chunk) {
      return line >= chunk.first && line - chunk.first < chunk.lines.size();
    });
  };
  for (const auto& row : file.a)
    if (is_shown(row.first)) source.a.insert(row);
  for (const auto& row : file.b)
    if (is_shown(row.first)) source.b.insert(row);
}

}  // namespace

PageSources page_sources(const std::vector<PageFile>& files, SourceText& sources,
                         const PageRoom& room) {
  PageSources out;
  size_t left = room.source_bytes;
  for (const PageFile& file : files) {
    // What is missing is told where it would be shown.
    const auto text = sources.contents(file.file);
    if (!text) continue;
    PageSource source =
        cut_source(*text, file.lines, std::min(left, room.whole_bytes), room.context);
    source.file = file.file;
    const size_t size = bytes_of(source);
    if (size > left) {
      ++out.left_out;
      continue;
    }
    left -= size;
    add_counts(source, file);
    out.files.push_back(std::move(source));
  }
  return out;
}

PageSource cut_source(std::string_view text, const std::vector<uint32_t>& wanted, size_t whole,
                      uint32_t context) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  PageSource out{.lines = static_cast<uint32_t>(lines.size())};
  size_t bytes = 0;
  for (const std::string_view line : lines) bytes += line.size() + 1;
  const bool is_whole = bytes <= whole;
  const auto add = [&](uint32_t number) {
    if (out.chunks.empty() || out.chunks.back().first + out.chunks.back().lines.size() != number)
      out.chunks.push_back({number, {}});
    const std::string_view line = lines[number - 1];
    std::string shown(line.substr(0, kLineBytes));
    if (shown.size() < line.size())
      shown += fmt::format(" ... ({} bytes more)", line.size() - shown.size());
    out.chunks.back().lines.push_back(std::move(shown));
  };
  if (is_whole) {
    for (uint32_t number = 1; number <= out.lines; ++number) add(number);
    return out;
  }
  uint32_t next = 1;
  for (const uint32_t line : wanted) {
    if (line > out.lines) break;
    const uint32_t last = std::min(out.lines, line + context);
    for (next = std::max(next, line > context ? line - context : 1); next <= last; ++next)
      add(next);
  }
  return out;
}

}  // namespace twinrun
