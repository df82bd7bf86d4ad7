// SPDX-License-Identifier: MIT
#include "report/source_root.h"

#include <system_error>

namespace twinrun {

namespace fs = std::filesystem;

SourceRoot SourceRoot::here() {
  std::error_code error;
  return around(fs::current_path(error));
}

SourceRoot SourceRoot::around(const fs::path& directory) {
  std::error_code error;
  fs::path from = fs::canonical(directory, error);
  if (error) from = directory.lexically_normal();
  // A directory, or a file in a work tree and in a submodule. git itself is not asked: it need not
  // be installed, and refuses repositories of other users.
  for (fs::path root = from;; root = root.parent_path()) {
    if (fs::exists(root / ".git", error)) return {root, from};
    if (root == root.parent_path()) return {from, from};
  }
}

std::optional<std::string> SourceRoot::inside(std::string_view file) const {
  if (file.empty()) return std::nullopt;
  const auto below = [&](const fs::path& path) -> std::optional<std::string> {
    const fs::path relative = path.lexically_relative(root_);
    if (relative.empty() || relative == "." || *relative.begin() == "..") return std::nullopt;
    return relative.string();
  };
  const fs::path path = (directory_ / file).lexically_normal();
  if (auto found = below(path)) return found;
  // Debug information has the directory's name as the compiler's shell saw it, through links.
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? std::nullopt : below(real);
}

}  // namespace twinrun
