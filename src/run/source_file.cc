// SPDX-License-Identifier: MIT
#include "run/source_file.h"

#include "base/files.h"
#include "run/symbols.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace twinrun {
namespace {

namespace fs = std::filesystem;

// Of compiled languages, and of what generates them. Headers of C++ without one are the system's.
constexpr auto kEndings = std::to_array<std::string_view>(
    {".ads", ".adb",  ".asm", ".c",   ".c++", ".cc",  ".cl",  ".cpp",   ".cppm", ".cr",  ".cu",
     ".cuh", ".cxx",  ".d",   ".def", ".f",   ".f03", ".f08", ".f90",   ".f95",  ".for", ".go",
     ".h",   ".h++",  ".hh",  ".hpp", ".hs",  ".hxx", ".i",   ".ii",    ".inc",  ".inl", ".ino",
     ".ipp", ".ixx",  ".jl",  ".l",   ".ll",  ".lpp", ".m",   ".ml",    ".mm",   ".nim", ".pas",
     ".pp",  ".pyx",  ".re",  ".rl",  ".rs",  ".s",   ".sx",  ".swift", ".tbl",  ".tcc", ".tpp",
     ".txx", ".vala", ".x",   ".y",   ".ypp", ".zig"});

bool has_ending_of_source(const fs::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  });
  return std::ranges::find(kEndings, ending) != kEndings.end();
}

/// A link to a file of another directory, whatever the way to its own is.
bool leads_elsewhere(const fs::path& file) {
  std::error_code failed;
  const fs::path there = fs::canonical(file, failed);
  if (failed) return false;  // reading it says why
  const fs::path here = fs::canonical(fs::absolute(file).parent_path(), failed);
  return failed || there.parent_path() != here;
}

}  // namespace

Result<Bytes> read_source(const FoundSource& source) {
  const fs::path file = fs::path(source.path).lexically_normal();
  if (source.by == NamedBy::kBinary && !is_system_source(file.string())) {
    if (!has_ending_of_source(file))
      return fail("P002", "{}: by its name no source file", source.path);
    if (leads_elsewhere(file)) return fail("P002", "{}: a link out of its directory", source.path);
  }
  return read_file(source.path);
}

}  // namespace twinrun
