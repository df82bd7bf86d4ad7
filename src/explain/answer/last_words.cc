// SPDX-License-Identifier: MIT
#include "explain/answer/last_words.h"

#include "values/outputs.h"

#include <set>
#include <string_view>
#include <vector>

namespace twinrun {
namespace {

constexpr int64_t kErrors = 2;  // the descriptor

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) out.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

/// What all processes wrote to their standard error, one behind the other.
Result<std::string> errors_of(const Reader& reader) {
  std::string out;
  for (const auto& [number, process] : reader.processes()) {
    TRY(const std::vector<Output> outputs, outputs_of(reader, process));
    for (const Output& output : outputs) {
      // A shell writes there by another descriptor, too: `echo ... >&2`.
      if (output.descriptor != kErrors && output.name != "standard error") continue;
      for (const OutputPiece& piece : output.pieces)
        out.append(piece.bytes.begin(), piece.bytes.end());
    }
  }
  return out;
}

}  // namespace

std::string last_line_alone(const std::string& said, const std::string& other) {
  const std::vector<std::string_view> lines = lines_of(said);
  const std::vector<std::string_view> others = lines_of(other);
  const std::set<std::string_view> known(others.begin(), others.end());
  for (size_t i = lines.size(); i-- > 0;) {
    if (known.contains(lines[i])) continue;
    size_t begin = i;
    while (begin > 0 && (lines[begin].front() == ' ' || lines[begin].front() == '\t')) --begin;
    size_t end = i;
    // Of a list what stands above it; "stack traceback:" is its title only.
    if (i - begin > 1) {
      if (lines[begin].ends_with(':') && begin > 0 && !known.contains(lines[begin - 1])) --begin;
      end = begin;
    }
    std::string out;
    for (size_t at = begin; at <= end; ++at) {
      const size_t first = lines[at].find_first_not_of(" \t");
      const size_t last = lines[at].find_last_not_of(" \t\r");
      if (!out.empty()) out += ' ';
      out += lines[at].substr(first, last + 1 - first);
    }
    return out;
  }
  return "";
}

Result<LastWords> last_words(const Reader& a, const Reader& b) {
  TRY(const std::string said_a, errors_of(a));
  TRY(const std::string said_b, errors_of(b));
  return LastWords{.a = last_line_alone(said_a, said_b), .b = last_line_alone(said_b, said_a)};
}

}  // namespace twinrun
