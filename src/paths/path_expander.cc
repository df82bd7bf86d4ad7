// SPDX-License-Identifier: MIT
#include "paths/path_expander.h"

#include <algorithm>
#include <numeric>

namespace twinrun {

PathExpander::PathExpander(const PathQuestion& question, const PathIndex& index)
    : question_(question), index_(index), reversed_(question.pattern().reversed()) {
  const std::vector<PathBlock>& blocks = question.body().blocks;
  static_before_.resize(blocks.size());
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (const uint32_t next : blocks[b].next) static_before_[next].push_back(b);
}

const std::optional<PathExpander::Before>& PathExpander::before(uint32_t block) {
  const auto [it, is_new] = before_.try_emplace(block);
  if (!is_new) return it->second;
  const uint32_t function = question_.function();
  const auto whole = index_.find({function, {block}});
  if (!whole) return it->second;
  Before out;
  uint64_t left = whole->count;
  const auto look = [&](uint32_t from) {
    if (std::ranges::find(out.blocks, from) != out.blocks.end()) return true;
    const auto pair = index_.find({function, {from, block}});
    if (!pair) return false;
    if (pair->count > 0) out.blocks.push_back(from);
    left -= pair->count;
    return true;
  };
  for (const uint32_t from : static_before_[block])
    if (!look(from)) return it->second;
  // By edges that the code does not show, such as an exception's.
  for (uint32_t from = 0; left > 0 && from < static_before_.size(); ++from)
    if (!look(from)) return it->second;
  out.begins = left > 0;
  std::ranges::sort(out.blocks);
  return it->second = std::move(out);
}

PathExpander::Step PathExpander::pass(Piece& piece, const std::vector<uint32_t>& classes,
                                      size_t from) const {
  const PathAlphabet& alphabet = question_.alphabet();
  for (size_t i = from; i-- > 0;) {
    if (alphabet.is_of_lines() && classes[i] != 0 && classes[i] == piece.cls) continue;
    piece.positions = next_positions(reversed_, alphabet, piece.positions, classes[i], false);
    piece.cls = classes[i];
    if (piece.positions.empty()) return Step::kDead;
    if (has_last(reversed_, piece.positions)) return Step::kWhole;
  }
  return Step::kAlive;
}

void PathExpander::add(const Piece& piece) { found_.push_back(piece.blocks); }

void PathExpander::begin(uint32_t block) {
  const PathAlphabet& alphabet = question_.alphabet();
  const std::vector<uint32_t>& classes =
      alphabet.classes_of(question_.kinds(question_.function())[block]);
  for (size_t end = classes.size(); end-- > 0;) {
    Piece piece{.blocks = {block}, .positions = {}, .cls = classes[end]};
    piece.positions = next_positions(reversed_, alphabet, {}, classes[end], true);
    if (piece.positions.empty()) continue;
    const bool is_whole = has_last(reversed_, piece.positions);
    const Step step = is_whole ? Step::kWhole : pass(piece, classes, end);
    if (step == Step::kDead) continue;
    piece.is_whole = step == Step::kWhole;
    piece.must_enter = alphabet.is_of_lines() && end == 0 && classes[0] != 0;
    if (piece.is_whole && !piece.must_enter) {
      add(piece);
      return;
    }
    open_.push_back(std::move(piece));
  }
}

bool PathExpander::extend(const Piece& piece) {
  const uint32_t block = piece.blocks.back();
  const std::optional<Before>& in_front = before(block);
  if (!in_front) return false;
  const PathAlphabet& alphabet = question_.alphabet();
  const std::vector<uint32_t>& kinds = question_.kinds(question_.function());
  std::vector<Piece> longer;
  bool all_enter = true;
  for (const uint32_t from : in_front->blocks) {
    const std::vector<uint32_t>& classes = alphabet.classes_of(kinds[from]);
    Piece next = piece;
    next.blocks.push_back(from);
    if (next.must_enter && !classes.empty()) {
      next.must_enter = false;
      // Nothing but the line that must be entered has been passed.
      if (classes.back() == next.cls) {
        all_enter = false;
        continue;
      }
    } else if (next.must_enter) {
      all_enter = false;  // the block in front has no lines: only what is before it tells
    }
    longer.push_back(std::move(next));
  }
  if (piece.is_whole) {
    // Only whether the last line was entered is open.
    if (all_enter) {
      add(piece);
      return true;
    }
    if (in_front->begins) return false;
    for (Piece& next : longer) {
      if (next.must_enter) {
        open_.push_back(std::move(next));
      } else {
        add(next);
      }
    }
    return true;
  }
  for (Piece& next : longer) {
    const std::vector<uint32_t>& classes = alphabet.classes_of(kinds[next.blocks.back()]);
    const Step step = pass(next, classes, classes.size());
    if (step == Step::kDead) continue;
    next.is_whole = step == Step::kWhole;
    if (next.is_whole && !next.must_enter) {
      add(next);
    } else {
      open_.push_back(std::move(next));
    }
  }
  return true;
}

std::optional<std::vector<PathQuery>> PathExpander::expand() {
  if (question_.crosses_functions()) return std::nullopt;
  const auto blocks = static_cast<uint32_t>(question_.body().blocks.size());
  for (uint32_t block = 0; block < blocks; ++block) begin(block);
  for (size_t steps = 0; !open_.empty(); ++steps) {
    const Piece piece = std::move(open_.back());
    open_.pop_back();
    if (steps == kMostSteps || found_.size() > kMostPaths || !extend(piece)) return std::nullopt;
  }
  // What ends with another one ends where that ends.
  std::ranges::sort(found_);
  std::vector<PathQuery> out;
  const std::vector<uint32_t>* last = nullptr;
  for (const std::vector<uint32_t>& path : found_) {
    if (last != nullptr && path.size() >= last->size() &&
        std::equal(last->begin(), last->end(), path.begin()))
      continue;
    last = &path;
    out.push_back({question_.function(), {path.rbegin(), path.rend()}});
  }
  if (out.size() > kMostPaths) return std::nullopt;
  return out;
}

}  // namespace twinrun
