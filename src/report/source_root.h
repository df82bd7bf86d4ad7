// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace twinrun {

/// The directory from which services that show results beside the source name its files.
class SourceRoot {
 public:
  /// Of the working directory: the top level of the git repository around it, else itself.
  static SourceRoot here();
  static SourceRoot around(const std::filesystem::path& directory);

  /// "src/csvsum.c", without `.` and `..`; nothing for a file that is not below the root. Relative
  /// names begin in the directory that the root was looked for from.
  [[nodiscard]] std::optional<std::string> inside(std::string_view file) const;
  [[nodiscard]] std::string path() const { return root_.string(); }

 private:
  SourceRoot(std::filesystem::path root, std::filesystem::path directory)
      : root_(std::move(root)), directory_(std::move(directory)) {}

  std::filesystem::path root_;
  std::filesystem::path directory_;
};

}  // namespace twinrun
