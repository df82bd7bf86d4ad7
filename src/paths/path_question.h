// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "paths/path_alphabet.h"
#include "paths/path_code.h"
#include "paths/path_event.h"
#include "paths/path_pattern.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// The function that a name means in a process: its name or an alias, "MODULE!NAME", "FILE:NAME"
/// (of the source) or an address in it. The program's own goes before those of libraries. P011 when
/// there is none, Q004 when there are several.
Result<uint32_t> find_path_function(const PathCode& code, std::string_view name);

/// "csvsum.c:33".
std::string line_text(const PathCode& code, const PathLine& line);

/// A pattern, understood as blocks or lines of the functions of a process.
class PathQuestion {
 public:
  /// Places without a function are `function`'s. Q005 for places that there are not, Q006 for
  /// lines of several files, Q001 when lines and blocks are mixed.
  static Result<PathQuestion> make(const PathCode& code, uint32_t function, PathPattern pattern);

  [[nodiscard]] uint32_t function() const { return function_; }
  [[nodiscard]] const PathBody& body() const { return bodies_.at(function_); }
  [[nodiscard]] const PathPattern& pattern() const { return pattern_; }
  [[nodiscard]] const PathAlphabet& alphabet() const { return alphabet_; }
  /// Some places are of other functions: only a look through calls can find it.
  [[nodiscard]] bool crosses_functions() const { return bodies_.size() > 1; }
  /// Of the blocks of a function; empty for those that no place is of.
  [[nodiscard]] const std::vector<uint32_t>& kinds(uint32_t function) const;
  /// The blocks, when it is a plain path of blocks of the one function.
  [[nodiscard]] std::optional<PathQuery> plain() const;
  /// Why no run can execute it, as far as the code shows; empty: one can, or that is not known.
  [[nodiscard]] std::string impossible(const PathCode& code) const;

 private:
  PathQuestion(uint32_t function, PathPattern pattern, bool is_of_lines)
      : function_(function), pattern_(std::move(pattern)), alphabet_(is_of_lines) {}
  Result<void> resolve_lines(const PathCode& code);
  Result<void> resolve_blocks(const PathCode& code);
  /// The function of a place.
  Result<uint32_t> place_function(const PathCode& code, const PathPlace& place);
  [[nodiscard]] std::string block_text(uint32_t block) const;

  uint32_t function_;
  PathPattern pattern_;
  PathAlphabet alphabet_;
  std::map<uint32_t, PathBody> bodies_;                  // by function
  std::map<uint32_t, std::vector<uint32_t>> kinds_;      // by function, of its blocks
  std::vector<std::pair<uint32_t, uint32_t>> resolved_;  // of places: function and block
  std::vector<PathLine> resolved_lines_;
};

}  // namespace twinrun
