// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// The columns a terminal needs for valid UTF-8 text: code points, two for East Asian wide ones,
/// none for combining marks.
size_t display_width(std::string_view text);

/// Lines of aligned columns, two spaces apart, without trailing blanks. Cells are printed as they
/// are: escape foreign names first.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The title line (unless every title is empty) and the rows, each ending with a newline.
  [[nodiscard]] std::string render() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace twinrun
