// SPDX-License-Identifier: MIT
#include "report/packed.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace twinrun {
namespace {

constexpr size_t kNamedSources = 3;  // of more that are missing only their directory is named

/// That all of the missing sources are below.
std::string directory_of_missing(const PackResult& result) {
  std::optional<std::string> common;
  for (const PackedSource& source : result.sources) {
    if (source.missing.empty()) continue;
    if (!common) common = source.path;
    const auto [end, ignored] = std::ranges::mismatch(*common, source.path);
    common->erase(end, common->end());
  }
  const std::string& all = common.value_or("");
  return all.substr(0, std::max<size_t>(all.rfind('/') + 1, 1) - 1);
}

}  // namespace

std::string pack_text(const PackResult& result) {
  std::string out;
  size_t packed = 0;
  size_t debug = 0;
  for (const PackedBinary& binary : result.binaries) {
    packed += binary.size > 0 ? 1 : 0;
    debug += binary.debug_path.empty() ? 0 : 1;
  }
  out += fmt::format("packed {} of {} binaries and {} debug files into {} ({}, before {})\n",
                     packed, result.binaries.size(), debug, escape_for_terminal(result.path),
                     format_size(result.size), format_size(result.size_before));
  const auto gone = static_cast<size_t>(std::ranges::count_if(
      result.sources, [](const PackedSource& source) { return !source.missing.empty(); }));
  if (!result.sources.empty())
    out += fmt::format("packed {} of {} source files\n", result.sources.size() - gone,
                       result.sources.size());
  for (const PackedBinary& binary : result.binaries)
    if (binary.size == 0)
      out += fmt::format("missing  {}: {}\n", escape_for_terminal(binary.path),
                         escape_for_terminal(binary.missing));
  if (gone > kNamedSources)
    out += fmt::format(
        "missing  {} source files below {} (--source-dir OLD=NEW tells where they are)\n", gone,
        escape_for_terminal(directory_of_missing(result)));
  for (const PackedSource& source : result.sources) {
    if (!source.missing.empty() && gone <= kNamedSources)
      out += fmt::format("missing  {}: {}\n", escape_for_terminal(source.path),
                         escape_for_terminal(source.missing));
    if (source.is_newer)
      out +=
          fmt::format("newer    {}: changed since the recording began, its lines may be others\n",
                      escape_for_terminal(source.path));
  }
  return out;
}

std::string pack_json(const PackResult& result) {
  Json rows = Json::array();
  for (const PackedBinary& binary : result.binaries)
    rows.push_back({{"path", binary.path},
                    {"build_id", hex_text(binary.build_id)},
                    {"packed", binary.size > 0},
                    {"size", binary.size},
                    {"missing", binary.missing.empty() ? Json() : Json(binary.missing)},
                    {"debug_file", binary.debug_path.empty() ? Json() : Json(binary.debug_path)},
                    {"debug_size", binary.debug_size}});
  Json sources = Json::array();
  for (const PackedSource& source : result.sources)
    sources.push_back({{"path", source.path},
                       {"packed", source.missing.empty()},
                       {"size", source.size},
                       {"missing", source.missing.empty() ? Json() : Json(source.missing)},
                       {"newer", source.is_newer}});
  return render_json("pack", 1,
                     {{"path", result.path},
                      {"size_before", result.size_before},
                      {"size", result.size},
                      {"binaries", rows},
                      {"sources", sources}});
}

}  // namespace twinrun
