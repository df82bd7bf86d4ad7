// SPDX-License-Identifier: MIT
#include "explain/inputs/text_place.h"

#include "explain/inputs/read_files.h"

#include <algorithm>
#include <string_view>

namespace twinrun {
namespace {

constexpr size_t kWordMost = 24;  // before the byte
constexpr size_t kRestMost = 40;  // from it on

bool is_text(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return (byte >= ' ' && byte != 0x7f) || c == '\t' || c == '\r';
  });
}

std::optional<TextPlace> place_in(std::string_view contents, uint64_t offset) {
  if (offset >= contents.size()) return std::nullopt;
  const std::string_view before = contents.substr(0, offset);
  const size_t start = before.rfind('\n') + 1;  // 0 without one
  const std::string_view line = contents.substr(start, contents.find('\n', start) - start);
  if (!is_text(line)) return std::nullopt;
  const size_t at = offset - start;
  TextPlace out{.line = 1 + static_cast<uint64_t>(std::ranges::count(before, '\n')),
                .column = at + 1,
                .word = {}};
  if (at >= line.size()) return out;
  const size_t blank = line.substr(0, at).find_last_of(" \t");
  const size_t word = blank == std::string_view::npos ? 0 : blank + 1;
  const size_t from = at - word > kWordMost ? at : word;
  out.word = std::string(line.substr(from, at - from + kRestMost));
  return out;
}

}  // namespace

Result<std::optional<TextPlace>> text_place(const Reader& reader, const OutsideSource& source) {
  if (!source.offset || source.input.empty() || source.kind != OutsideSource::Kind::kSyscall)
    return std::nullopt;
  const Process* process = reader.process(source.position.process.value);
  if (process == nullptr) return std::nullopt;
  TRY(const auto files, read_files(reader, *process));
  const auto file = std::ranges::find(files, source.input, &ReadFile::path);
  if (file == files.end()) return std::nullopt;
  return place_in(file->contents, *source.offset);
}

}  // namespace twinrun
