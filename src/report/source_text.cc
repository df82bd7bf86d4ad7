// SPDX-License-Identifier: MIT
#include "report/source_text.h"

#include <sys/stat.h>

#include <algorithm>

namespace twinrun {
namespace {

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool is_newer_than(const std::string& path, uint64_t time_ns) {
  struct stat info{};
  return time_ns != 0 && stat(path.c_str(), &info) == 0 &&
         static_cast<uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000 +
                 static_cast<uint64_t>(info.st_mtim.tv_nsec) >
             time_ns;
}

}  // namespace

void SourceDirectories::add(std::string from, std::string to) {
  moved_.emplace_back(without_slash(std::move(from)), without_slash(std::move(to)));
  std::ranges::stable_sort(moved_, std::ranges::greater(),
                           [](const auto& one) { return one.first.size(); });
}

FoundSource SourceDirectories::find(const std::string& file) const {
  for (const auto& [from, to] : moved_) {
    if (!file.starts_with(from)) continue;
    const std::string_view rest = std::string_view(file).substr(from.size());
    if (from.ends_with('/') || rest.starts_with('/') || rest.empty())
      return {to + (from.ends_with('/') ? "/" : "") + std::string(rest), NamedBy::kUser};
  }
  return {file, NamedBy::kBinary};
}

void SourceText::add_recording(const Reader& reader) { recordings_.push_back(&reader); }

std::optional<Bytes> SourceText::packed(const std::string& file) const {
  for (const Reader* reader : recordings_)
    for (const Reader::PackedEntry& entry : reader->packed())
      if (entry.file.kind == FileKind::kSource && entry.file.path == file)
        if (auto bytes = reader->packed_contents(entry)) return std::move(*bytes);
  return std::nullopt;
}

SourceText::Text& SourceText::text(const std::string& file) {
  const auto [found, is_new] = texts_.try_emplace(file);
  Text& out = found->second;
  if (!is_new || file.empty()) return out;
  if (auto bytes = packed(file)) {
    out.is_there = true;
    out.bytes = std::move(*bytes);
    return out;
  }
  const FoundSource found_source = directories_.find(file);
  auto bytes = read_source(found_source);
  if (!bytes) return out;
  out.is_there = true;
  out.bytes = std::move(*bytes);
  out.is_newer = std::ranges::any_of(recordings_, [&](const Reader* reader) {
    return is_newer_than(found_source.path, reader->header().start_time_ns);
  });
  return out;
}

std::optional<std::string_view> SourceText::contents(const std::string& file) {
  const Text& of = text(file);
  if (!of.is_there) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(of.bytes.data()), of.bytes.size());
}

std::string_view SourceText::line(const std::string& file, uint32_t number) {
  const auto all = contents(file);
  if (!all || number == 0) return {};
  std::vector<size_t>& lines = texts_.at(file).lines;
  if (lines.empty()) {
    lines.push_back(0);
    for (size_t at = 0; (at = all->find('\n', at)) != std::string_view::npos;)
      lines.push_back(++at);
  }
  if (number > lines.size()) return {};
  std::string_view out = all->substr(lines[number - 1]);
  out = out.substr(0, out.find('\n'));
  const size_t first = out.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return out.substr(first, out.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> SourceText::changed() const {
  std::vector<std::string> out;
  for (const auto& [file, text] : texts_)
    if (text.is_newer) out.push_back(file);
  return out;
}

}  // namespace twinrun
