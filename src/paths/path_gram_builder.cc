// SPDX-License-Identifier: MIT
// Each active invocation is in a state: which segments it has executed last. The segment that ends
// leads to a gram, which is counted, and from there to the next state; what followed a state the
// last two times is kept with it. So a segment costs a step of the trie for each of its blocks and
// three lines of memory that may not be in the cache: its last node, the state and the gram.
//
// The number of states is that of the different histories, and a trace has many more events than
// those: 1 000 M events of cc1plus have 1.8 M grams. Everything here is as small as it can be, and
// what is told in the end is made function by function.
#include "paths/path_gram_builder.h"

#include <xxhash.h>
#include "base/check.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace twinrun {

PathGramBuilder::PathGramBuilder() : cache_(1u << kCacheBits) { state_of({}); }

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
  const State& state = states_[frame.state];
  const uint32_t gram = state.segment == segment         ? state.gram
                        : state.other_segment == segment ? state.other_gram
                                                         : find_gram(frame.state, segment);
  Cell* cell = &cells_[gram];
  ++cell->head.count;
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

uint32_t PathGramBuilder::shape_of(uint32_t number) {
  const auto blocks_of = [&](uint32_t segment) {
    std::vector<uint32_t> blocks = items_of(segments_[segment]);
    for (uint32_t& item : blocks) item >>= 1;
    return blocks;
  };
  const std::vector<uint32_t> blocks = blocks_of(number);
  const uint32_t function = segments_[number].function;
  // Others can have the same hash.
  for (uint64_t key =
           XXH3_64bits_withSeed(blocks.data(), blocks.size() * sizeof(uint32_t), function);
       ; ++key) {
    const auto [it, is_new] = shapes_.try_emplace(key, number);
    if (is_new) return number;
    const Segment& other = segments_[it->second];
    if (other.function == function && other.blocks == blocks.size() &&
        blocks_of(it->second) == blocks)
      return it->second;
  }
}

uint32_t PathGramBuilder::state_of(const PathGrams::History& history) {
  const auto next = static_cast<uint32_t>(histories_.size());
  for (uint64_t key = XXH3_64bits(history.data(), sizeof history);; ++key) {
    const auto [it, is_new] = state_numbers_.try_emplace(key, next);
    if (!is_new && histories_[it->second] != history) continue;
    if (is_new) {
      histories_.push_back(history);
      states_.emplace_back();
    }
    return it->second;
  }
}

uint32_t PathGramBuilder::find_gram(uint32_t state, uint32_t segment) {
  const uint64_t key = uint64_t{state} << 32 | segment;
  Cached& cached = cache_[key * 0x9e3779b97f4a7c15u >> (64 - kCacheBits)];
  if (cached.key != key) {
    const auto known = gram_numbers_.find(key);
    cached = {key, known == gram_numbers_.end() ? new_gram(state, segment) : known->second};
  }
  State& from = states_[state];
  from = {segment, cached.gram, from.segment, from.gram};
  return cached.gram;
}

uint32_t PathGramBuilder::new_gram(uint32_t state, uint32_t segment) {
  CHECK(cells_.size() < kNone - segments_[segment].stretches) << "too many grams";
  const auto number = static_cast<uint32_t>(cells_.size());
  gram_numbers_.emplace(uint64_t{state} << 32 | segment, number);
  PathGrams::History history = histories_[state];
  const uint32_t shape = segments_[segment].shape;
  if (history[0].exists() && history[0].is_of(shape)) {
    history[0] = {shape, std::min(history[0].turns() + 1, PathGrams::Run::kMostTurns)};
  } else {
    std::shift_right(history.begin(), history.end(), 1);
    history[0] = {shape, 1};
  }
  cells_.push_back({.head = {.next_state = state_of(history), .segment = segment}});
  cells_.resize(cells_.size() + segments_[segment].stretches, {.range = {}});
  return number;
}

void PathGramBuilder::end() {
  while (depth_ > 0) end_segment(frames_[--depth_]);
  frames_ = {};
  edges_.reserve(gram_numbers_.size());
  for (const auto& [key, gram] : gram_numbers_) {
    const auto segment = static_cast<uint32_t>(key & 0xffffffff);
    edges_.push_back({segments_[segment].function, static_cast<uint32_t>(key >> 32), gram});
  }
  gram_numbers_ = {};
  state_numbers_ = {};
  shapes_ = {};
  cache_ = {};
  states_ = {};
  std::ranges::sort(edges_, [](const Edge& a, const Edge& b) {
    return a.function != b.function ? a.function < b.function : a.gram < b.gram;
  });
  ordered_segments_.resize(segments_.size());
  for (uint32_t s = 0; s < segments_.size(); ++s) ordered_segments_[s] = s;
  std::ranges::stable_sort(ordered_segments_, {},
                           [&](uint32_t s) { return segments_[s].function; });
}

void PathGramBuilder::each_function(const PathGrams::Tell& tell) const {
  std::vector<uint32_t> numbers(segments_.size());  // in their function
  size_t edge = 0;
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
    for (; edge < edges_.size() && edges_[edge].function == function; ++edge) {
      const Cell* cell = &cells_[edges_[edge].gram];
      const Head& head = cell->head;
      PathGrams::Gram gram{.history = histories_[edges_[edge].state],
                           .segment = numbers[head.segment],
                           .ranges_at = static_cast<uint32_t>(out.ranges.size()),
                           .count = head.count};
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
