// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_index.h"
#include "paths/path_question.h"

#include <map>
#include <optional>
#include <vector>

namespace twinrun {

/// Says what a question about lines, or with choices, means in plain paths, so that an index can
/// answer it: goes backward from the blocks in which it can end, along edges that were executed.
class PathExpander {
 public:
  /// Both must outlive it.
  PathExpander(const PathQuestion& question, const PathIndex& index);

  /// Plain paths, of which exactly one ends wherever the question's path ends. Nothing: they are
  /// too many, or the index does not know enough.
  std::optional<std::vector<PathQuery>> expand();

 private:
  static constexpr size_t kMostPaths = 256;
  static constexpr size_t kMostSteps = 5000;

  /// A piece of a path, up to its end.
  struct Piece {
    std::vector<uint32_t> blocks;  // the last one first
    PathPositions positions;       // of the reversed pattern
    uint32_t cls = 0;              // that was passed last
    bool is_whole = false;
    bool must_enter = false;  // its last line must not have been the line before already
  };
  enum class Step : uint8_t { kDead, kAlive, kWhole };

  /// Pieces that end in this block.
  void begin(uint32_t block);
  /// By what comes in front; false: not known.
  bool extend(const Piece& piece);
  /// Passes the classes of a block, from its end.
  Step pass(Piece& piece, const std::vector<uint32_t>& classes, size_t from) const;
  void add(const Piece& piece);
  /// The blocks that were executed right in front of this one in the same invocation, and whether
  /// invocations begin with it. Nothing: not known.
  struct Before {
    std::vector<uint32_t> blocks;
    bool begins = false;
  };
  const std::optional<Before>& before(uint32_t block);

  const PathQuestion& question_;
  const PathIndex& index_;
  PathPattern reversed_;
  std::vector<std::vector<uint32_t>> static_before_;
  std::map<uint32_t, std::optional<Before>> before_;
  std::vector<Piece> open_;
  std::vector<std::vector<uint32_t>> found_;  // reversed
};

}  // namespace twinrun
