// SPDX-License-Identifier: MIT
#include "paths/path_gram_builder.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace twinrun {

void PathGramBuilder::take(PathTraceView events) {
  if (states_.empty()) state_of({});
  for (const PathEvent event : events) take(event, position_++);
}

void PathGramBuilder::take(PathTraceView events, std::span<const PathPosition> steps) {
  CHECK(events.size() == steps.size());
  if (states_.empty()) state_of({});
  for (size_t i = 0; i < events.size(); ++i) take(events[i], steps[i]);
  position_ += events.size();
}

void PathGramBuilder::take(PathEvent event, PathPosition at) {
  if (event.is_block()) {
    CHECK(depth_ > 0) << "a block outside of any function";
    Frame& frame = frames_[depth_ - 1];
    const uint32_t block = event.block();
    if (block < frame.floor) end_segment(frame);
    const bool is_first = frame.node == frame.root;
    const bool begins = is_first || at != frame.expected;
    if (begins) frame.begins.push_back(at);
    const uint32_t item = block << 1 | (begins && !is_first ? 1u : 0u);
    const uint32_t next = trie_.child(frame.node, item);
    if (next >= nodes_.size()) nodes_.push_back({frame.node, item});
    frame.node = next;
    frame.floor = block + 1;
    frame.expected = at + (lengths_ == nullptr ? 1 : lengths_->of(frame.function, block));
  } else if (event.is_exit()) {
    CHECK(depth_ > 0) << "an exit outside of any function";
    end_segment(frames_[depth_ - 1]);
    --depth_;
  } else {
    if (frames_.size() == depth_) frames_.emplace_back();
    Frame& frame = frames_[depth_++];
    frame.function = event.function();
    frame.root = trie_.child(0, event.function());
    if (frame.root >= nodes_.size()) nodes_.push_back({0, event.function()});
    frame.node = frame.root;
    frame.floor = 0;
    frame.state = 0;
  }
}

void PathGramBuilder::end_segment(Frame& frame) {
  if (frame.node == frame.root) return;
  uint32_t segment = nodes_[frame.node].segment;
  if (segment == kNone) segment = new_segment(frame);
  const Node& recent = recent_[frame.state];
  const uint32_t gram = recent.segment == segment         ? recent.gram
                        : recent.other_segment == segment ? recent.other_gram
                                                          : find_gram(frame.state, segment);
  PathGrams::Gram& g = out_.grams[gram];
  ++g.count;
  // An invocation of a function that is active already ends its segments first, although they
  // began later: so neither the first nor the last position is that of the first or last end.
  for (size_t i = 0; i < frame.begins.size(); ++i)
    out_.ranges[g.ranges_at + i].add({frame.begins[i], frame.begins[i]});
  frame.begins.clear();
  frame.state = next_state_[gram];
  frame.node = frame.root;
  frame.floor = 0;
}

uint32_t PathGramBuilder::new_segment(const Frame& frame) {
  std::vector<uint32_t> items;
  for (uint32_t node = frame.node; node != frame.root; node = nodes_[node].parent)
    items.push_back(nodes_[node].item);
  std::ranges::reverse(items);
  const auto number = static_cast<uint32_t>(out_.segments.size());
  CHECK(number < PathGrams::kMostSegments);
  PathGrams::Segment segment{.function = frame.function,
                             .blocks = static_cast<uint32_t>(items.size()),
                             .blocks_at = static_cast<uint32_t>(out_.blocks.size()),
                             .stretches_at = static_cast<uint32_t>(out_.stretches.size())};
  std::vector<uint32_t> key{frame.function};
  for (uint32_t i = 0; i < items.size(); ++i) {
    if (i == 0 || (items[i] & 1) != 0) out_.stretches.push_back(i);
    out_.blocks.push_back(items[i] >> 1);
    key.push_back(items[i] >> 1);
  }
  segment.stretches = static_cast<uint32_t>(out_.stretches.size()) - segment.stretches_at;
  segment.shape = shapes_.try_emplace(std::move(key), number).first->second;
  out_.segments.push_back(segment);
  return nodes_[frame.node].segment = number;
}

uint32_t PathGramBuilder::state_of(const PathGrams::History& history) {
  const auto [it, is_new] =
      state_numbers_.try_emplace(history, static_cast<uint32_t>(states_.size()));
  if (is_new) {
    states_.push_back(history);
    recent_.emplace_back();
  }
  return it->second;
}

uint32_t PathGramBuilder::find_gram(uint32_t state, uint32_t segment) {
  const auto [it, is_new] = gram_numbers_.try_emplace(uint64_t{state} << 32 | segment,
                                                      static_cast<uint32_t>(out_.grams.size()));
  const uint32_t number = it->second;
  if (is_new) {
    const PathGrams::History history = states_[state];
    out_.grams.push_back({.history = history,
                          .segment = segment,
                          .ranges_at = static_cast<uint32_t>(out_.ranges.size())});
    out_.ranges.resize(out_.ranges.size() + out_.segments[segment].stretches);
    PathGrams::History next = history;
    const uint32_t shape = out_.segments[segment].shape;
    if (history[0].exists() && history[0].is_of(shape)) {
      next[0] = {shape, std::min(history[0].turns() + 1, PathGrams::Run::kMostTurns)};
    } else {
      std::copy_n(history.begin(), history.size() - 1, next.begin() + 1);
      next[0] = {shape, 1};
    }
    next_state_.push_back(state_of(next));
  }
  recent_[state] = {segment, number, recent_[state].segment, recent_[state].gram};
  return number;
}

PathGrams PathGramBuilder::finish() {
  while (depth_ > 0) end_segment(frames_[--depth_]);
  out_.events = position_;
  out_.settle();
  return std::move(out_);
}

}  // namespace twinrun
