// SPDX-License-Identifier: MIT
// Each active invocation is in a state: which segments it has executed last. The segment that ends
// leads to a gram, which is counted, and from there to the next state; what followed a state not
// long ago is kept with it. So a segment costs a step of the trie for each of its blocks and three
// lines of memory that may not be in the cache: its last node, the state and the gram.
//
// The number of states is that of the different histories, and a trace has many more events than
// those: 1 000 M events of cc1plus have 1.8 M grams. Everything here is as small as it can be, and
// what is told in the end is made function by function.
#include "paths/path_gram_builder.h"

#include <xxhash.h>
#include "base/check.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace twinrun {

namespace {

uint64_t hash_of(const PathGrams::History& history) {
  return XXH3_64bits(history.data(), sizeof history);
}

uint64_t hash_of(uint32_t state, uint32_t segment) {
  const uint64_t hash = (uint64_t{state} << 32 | segment) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

}  // namespace

PathGramBuilder::PathGramBuilder() {
  state_of({});
  cells_.push_back(Cell());
}

void PathGramBuilder::take(PathTraceView events) {
  for (size_t i = 0; i < events.size();) {
    size_t end = i;
    while (end < events.size() && events[end].is_block()) ++end;
    take_blocks(events.subspan(i, end - i), [&](size_t k) { return events_ + i + k; });
    if (end < events.size()) enter_or_leave(events[end]);
    i = end + 1;
  }
  events_ += events.size();
}

void PathGramBuilder::take(const PathTold& told) {
  size_t begin = 0;
  const auto blocks_until = [&](size_t end) {
    take_blocks(told.events.subspan(begin, end - begin),
                [&](size_t k) { return told.steps[begin + k]; });
    begin = end;
  };
  for (const PathMark& m : told.marks) {
    blocks_until(m.event);
    if (told.events[m.event].is_block()) {
      is_behind_block_ = false;  // what follows is a stretch of its own, and begins with it
      continue;
    }
    enter_or_leave(told.events[m.event]);
    begin = m.event + size_t{1};
  }
  blocks_until(told.events.size());
  events_ += told.events.size();
}

uint32_t PathGramBuilder::child(uint32_t node, uint32_t item) {
  const uint32_t next = trie_.child(node, item);
  if (next >= nodes_.size()) nodes_.push_back({.parent = node, .item = item});
  return next;
}

template <typename At>
void PathGramBuilder::take_blocks(PathTraceView blocks, const At& at) {
  if (blocks.empty()) return;
  CHECK(depth_ > 0) << "a block outside of any function";
  Frame& frame = frames_[depth_ - 1];
  uint32_t node = frame.node;
  uint32_t floor = frame.floor;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const uint32_t block = blocks[i].block();
    uint32_t item = block << 1;
    if (block < floor) {
      frame.node = node;
      end_segment(frame);
      node = frame.root;
    }
    if (node == frame.root) {
      frame.begins.push_back(at(i));
    } else if (!is_behind_block_) [[unlikely]] {
      frame.begins.push_back(at(i));
      item |= 1;
    }
    is_behind_block_ = true;
    const uint32_t known = trie_.known_child(node, item);
    node = known != 0 ? known : child(node, item);
    floor = block + 1;
  }
  frame.node = node;
  frame.floor = floor;
}

void PathGramBuilder::enter_or_leave(PathEvent event) {
  is_behind_block_ = false;
  if (event.is_exit()) {
    CHECK(depth_ > 0) << "an exit outside of any function";
    end_segment(frames_[--depth_]);
    return;
  }
  if (frames_.size() == depth_) frames_.emplace_back();
  Frame& frame = frames_[depth_++];
  frame.function = event.function();
  frame.root = trie_.child(0, event.function());
  if (frame.root >= nodes_.size()) nodes_.push_back({.item = event.function()});
  frame.node = frame.root;
  frame.floor = 0;
  frame.state = 0;
}

void PathGramBuilder::end_segment(Frame& frame) {
  if (frame.node == frame.root) return;
  uint32_t segment = nodes_[frame.node].segment;
  if (segment == kNone) segment = new_segment(frame);
  uint32_t gram = states_[frame.state].gram;
  if (cells_[gram].head.segment != segment) gram = find_gram(frame.state, segment);
  Cell* cell = &cells_[gram];
  if (++cell->head.count == 0) ++wraps_[gram];
  frame.state = cell->head.next_state;
  // An invocation of a function that is active already ends its segments first, although they
  // began later: so neither the first nor the last position is that of the first or last end.
  for (const PathPosition begin : frame.begins) (++cell)->range.add({begin, begin});
  frame.begins.clear();
  frame.node = frame.root;
  frame.floor = 0;
}

std::vector<uint32_t> PathGramBuilder::items_of(const Segment& segment) const {
  std::vector<uint32_t> items;
  items.reserve(segment.blocks);
  for (uint32_t node = segment.node; nodes_[node].parent != 0; node = nodes_[node].parent)
    items.push_back(nodes_[node].item);
  std::ranges::reverse(items);
  return items;
}

uint32_t PathGramBuilder::new_segment(const Frame& frame) {
  const auto number = static_cast<uint32_t>(segments_.size());
  CHECK(number < PathGrams::kMostSegments);
  Segment segment{.node = frame.node, .function = frame.function, .stretches = 1};
  for (uint32_t node = frame.node; node != frame.root; node = nodes_[node].parent) {
    ++segment.blocks;
    segment.stretches += nodes_[node].item & 1;
  }
  segments_.push_back(segment);
  segments_.back().shape = shape_of(number);
  return nodes_[frame.node].segment = number;
}

std::vector<uint32_t> PathGramBuilder::blocks_of(uint32_t segment) const {
  std::vector<uint32_t> blocks = items_of(segments_[segment]);
  for (uint32_t& item : blocks) item >>= 1;
  return blocks;
}

uint64_t PathGramBuilder::hash_of_blocks(uint32_t segment) const {
  const std::vector<uint32_t> blocks = blocks_of(segment);
  return XXH3_64bits_withSeed(blocks.data(), blocks.size() * sizeof(uint32_t),
                              segments_[segment].function);
}

uint32_t PathGramBuilder::shape_of(uint32_t number) {
  const Segment& segment = segments_[number];
  const uint32_t known = shapes_.find(hash_of_blocks(number), [&](uint32_t other) {
    return segments_[other].function == segment.function &&
           segments_[other].blocks == segment.blocks && blocks_of(other) == blocks_of(number);
  });
  if (known != NumberTable::kNone) return known;
  shapes_.add(number, [&](uint32_t other) { return hash_of_blocks(other); });
  return number;
}

uint32_t PathGramBuilder::state_of(const PathGrams::History& history) {
  const uint32_t known = state_numbers_.find(
      hash_of(history), [&](uint32_t state) { return histories_[state] == history; });
  if (known != NumberTable::kNone) return known;
  const auto number = static_cast<uint32_t>(histories_.size());
  histories_.push_back(history);
  states_.push_back({});
  state_numbers_.add(number, [&](uint32_t state) { return hash_of(histories_[state]); });
  return number;
}

uint32_t PathGramBuilder::find_gram(uint32_t state, uint32_t segment) {
  uint32_t gram = states_[state].other;
  if (cells_[gram].head.segment != segment) {
    gram = gram_numbers_.find(hash_of(state, segment), [&](uint32_t other) {
      return cells_[other].head.state == state && cells_[other].head.segment == segment;
    });
    if (gram == NumberTable::kNone) gram = new_gram(state, segment);
  }
  states_[state] = {gram, states_[state].gram};
  return gram;
}

uint32_t PathGramBuilder::new_gram(uint32_t state, uint32_t segment) {
  CHECK(cells_.size() < kNone - 1 - segments_[segment].stretches) << "too many grams";
  const auto number = static_cast<uint32_t>(cells_.size());
  PathGrams::History history = histories_[state];
  const uint32_t shape = segments_[segment].shape;
  if (history[0].exists() && history[0].is_of(shape)) {
    history[0] = {shape, std::min(history[0].turns() + 1, PathGrams::Run::kMostTurns)};
  } else {
    std::shift_right(history.begin(), history.end(), 1);
    history[0] = {shape, 1};
  }
  cells_.push_back(Cell(Head{.state = state, .segment = segment, .next_state = state_of(history)}));
  for (uint32_t i = 0; i < segments_[segment].stretches; ++i)
    cells_.push_back(Cell(PathGrams::Range()));
  gram_numbers_.add(number, [&](uint32_t gram) {
    return hash_of(cells_[gram].head.state, cells_[gram].head.segment);
  });
  return number;
}

uint64_t PathGramBuilder::count_of(uint32_t gram) const {
  const auto wraps = wraps_.find(gram);
  return cells_[gram].head.count + (wraps == wraps_.end() ? 0 : uint64_t{wraps->second} << 32);
}

void PathGramBuilder::end() {
  while (depth_ > 0) end_segment(frames_[--depth_]);
  frames_ = {};
  states_ = {};
  trie_ = {};
  shapes_ = state_numbers_ = gram_numbers_ = {};
  for (uint32_t gram = 1; gram < cells_.size();
       gram += 1 + segments_[cells_[gram].head.segment].stretches)
    ordered_grams_.push_back(gram);
  const auto by_function = [&](auto& numbers, const auto& segment_of) {
    std::ranges::stable_sort(
        numbers, {}, [&](uint32_t number) { return segments_[segment_of(number)].function; });
  };
  by_function(ordered_grams_, [&](uint32_t gram) { return cells_[gram].head.segment; });
  ordered_segments_.resize(segments_.size());
  std::iota(ordered_segments_.begin(), ordered_segments_.end(), 0);
  by_function(ordered_segments_, std::identity());
}

void PathGramBuilder::each_function(const PathGrams::Tell& tell) const {
  std::vector<uint32_t> numbers(segments_.size());  // in their function
  size_t at = 0;
  for (size_t begin = 0; begin < ordered_segments_.size();) {
    const uint32_t function = segments_[ordered_segments_[begin]].function;
    PathGrams out;
    out.events = events_;
    for (; begin < ordered_segments_.size(); ++begin) {
      const Segment& segment = segments_[ordered_segments_[begin]];
      if (segment.function != function) break;
      numbers[ordered_segments_[begin]] = static_cast<uint32_t>(out.segments.size());
      const std::vector<uint32_t> items = items_of(segment);
      out.segments.push_back({.function = function,
                              .blocks = segment.blocks,
                              .blocks_at = static_cast<uint32_t>(out.blocks.size()),
                              .stretches = segment.stretches,
                              .stretches_at = static_cast<uint32_t>(out.stretches.size()),
                              .shape = numbers[segment.shape]});
      for (uint32_t i = 0; i < items.size(); ++i) {
        if (i == 0 || (items[i] & 1) != 0) out.stretches.push_back(i);
        out.blocks.push_back(items[i] >> 1);
      }
    }
    for (; at < ordered_grams_.size(); ++at) {
      const Cell* cell = &cells_[ordered_grams_[at]];
      const Head& head = cell->head;
      if (segments_[head.segment].function != function) break;
      PathGrams::Gram gram{.history = histories_[head.state],
                           .segment = numbers[head.segment],
                           .ranges_at = static_cast<uint32_t>(out.ranges.size()),
                           .count = count_of(ordered_grams_[at])};
      for (PathGrams::Run& run : gram.history)
        if (run.exists()) run = {numbers[run.shape()], run.turns()};
      out.grams.push_back(gram);
      for (uint32_t i = 0; i < segments_[head.segment].stretches; ++i)
        out.ranges.push_back((++cell)->range);
    }
    out.settle();
    if (!tell(std::move(out))) return;
  }
}

PathGrams PathGramBuilder::finish() {
  end();
  PathGrams out;
  out.events = events_;
  each_function([&](const PathGrams& function) {
    out.append(function);
    return true;
  });
  out.settle();
  return out;
}

}  // namespace twinrun
