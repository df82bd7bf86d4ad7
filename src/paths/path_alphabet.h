// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "paths/path_automaton.h"
#include "paths/path_pattern.h"

#include <cstdint>
#include <map>
#include <vector>

namespace twinrun {

/// What blocks mean to a pattern. A class is a set of the pattern's places that one block, or one
/// line, is; class 0 is none of them. A kind is what a block is: one class or, when places are
/// lines, those of its lines in order. Executing a line goes on until another one is executed,
/// whatever blocks that takes, so a class other than 0 that follows on itself is there once.
class PathAlphabet {
 public:
  explicit PathAlphabet(bool is_of_lines) : is_of_lines_(is_of_lines) { kind({0}); }

  /// The number of a class.
  uint32_t class_of(const std::vector<uint32_t>& places);
  /// The number of a kind of blocks.
  uint32_t kind(const std::vector<uint32_t>& classes);

  [[nodiscard]] bool is_of_lines() const { return is_of_lines_; }
  [[nodiscard]] uint32_t classes() const { return static_cast<uint32_t>(class_places_.size()); }
  [[nodiscard]] uint32_t kinds() const { return static_cast<uint32_t>(kind_classes_.size()); }
  [[nodiscard]] const std::vector<uint32_t>& classes_of(uint32_t kind) const {
    return kind_classes_[kind];
  }
  /// Whether the position stands for the class.
  [[nodiscard]] bool fits(const PathPattern& pattern, uint32_t position, uint32_t cls) const;

 private:
  bool is_of_lines_;
  std::vector<std::vector<uint32_t>> class_places_{{}};
  std::map<std::vector<uint32_t>, uint32_t> class_numbers_{{{}, 0}};
  std::vector<std::vector<uint32_t>> kind_classes_;
  std::map<std::vector<uint32_t>, uint32_t> kind_numbers_;
};

/// A set of a pattern's positions that have just been passed; ascending.
using PathPositions = std::vector<uint32_t>;

/// The positions behind `from` that fit the class; with `starts`, also those that come first.
PathPositions next_positions(const PathPattern& pattern, const PathAlphabet& alphabet,
                             const PathPositions& from, uint32_t cls, bool starts);
bool has_last(const PathPattern& pattern, const PathPositions& positions);

/// Finds where the pattern's paths end. Q003 when that takes too many states.
Result<PathTable> make_path_table(const PathPattern& pattern, const PathAlphabet& alphabet);

}  // namespace twinrun
