// SPDX-License-Identifier: MIT
#include "program/debug_files.h"

#include "program/debuginfod.h"
#include "program/dwarf_files.h"
#include "program/elf_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace twinrun {
namespace {

bool is_same_build(const std::string& file, ByteSpan build_id) {
  if (build_id.empty()) return true;
  const auto found = DwarfFile::open(file);
  return found && std::ranges::equal((*found)->build_id(), build_id);
}

}  // namespace

DebugDirectories system_debug_directories() { return {"/usr/lib/debug"}; }

std::vector<std::string> debug_candidates(const DebugKey& key,
                                          const DebugDirectories& directories) {
  std::vector<std::string> out;
  const ByteSpan id = key.build_id;
  if (id.size() > 1)
    for (const std::string& in : directories)
      out.push_back(
          fmt::format("{}/.build-id/{}/{}.debug", in, hex(id.first(1)), hex(id.subspan(1))));
  const std::filesystem::path binary(key.binary_path);
  if (!key.link.empty() && key.link.find('/') == std::string::npos && !key.binary_path.empty()) {
    const std::string beside = binary.parent_path().string();
    out.push_back(beside + "/" + key.link);
    out.push_back(beside + "/.debug/" + key.link);
    for (const std::string& in : directories) {
      out.push_back(in + beside + "/" + key.link);
      out.push_back(in + "/" + key.link);
    }
  }
  // The binary as it was before it was stripped. Only the build id can tell.
  if (!id.empty() && binary.has_filename())
    for (const std::string& in : directories) {
      out.push_back(in + "/" + binary.filename().string());
      out.push_back(in + "/" + binary.filename().string() + ".debug");
    }
  return out;
}

std::string find_debug_file(const DebugKey& key, const DebugDirectories& directories,
                            AskServers servers) {
  std::error_code ignored;
  for (const std::string& place : debug_candidates(key, directories)) {
    if (!std::filesystem::is_regular_file(place, ignored)) continue;
    if (std::filesystem::equivalent(place, key.binary_path, ignored)) continue;
    if (is_same_build(place, key.build_id)) return place;
  }
  return servers == AskServers::kYes ? ask_debuginfod(key.build_id) : std::string();
}

}  // namespace twinrun
