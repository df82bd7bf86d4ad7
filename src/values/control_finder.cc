// SPDX-License-Identifier: MIT
#include "values/control_finder.h"

#include <algorithm>

namespace twinrun {

uint32_t ControlFinder::chunk_start(uint32_t segment) const {
  const auto starts = [&](uint32_t number) {
    const FrameEntry& frame = values_.reader().frames()[values_.process().segments[number]];
    return (frame.segment.flags & TW_SEGMENT_CHUNK_START) != 0;
  };
  while (segment > 0 && !starts(segment)) --segment;
  return segment;
}

Result<FrameIndex*> ControlFinder::index(uint32_t segment) {
  for (auto it = recent_.begin(); it != recent_.end(); ++it) {
    if (segment < it->first_segment() || segment >= it->end_segment()) continue;
    recent_.splice(recent_.begin(), recent_, it);
    return &recent_.front();
  }
  const uint32_t first = chunk_start(segment);
  uint32_t end = segment + 1;
  while (end < values_.segments() && chunk_start(end) == first) ++end;
  TRY(FrameIndex made, FrameIndex::build(values_.reader(), values_.process(), values_.dictionary(),
                                         places_, first, end));
  recent_.push_front(std::move(made));
  if (recent_.size() > kIndexesKept) {
    std::erase_if(executions_, [&](const auto& entry) {
      return entry.first.first == recent_.back().first_segment();
    });
    recent_.pop_back();
  }
  return &recent_.front();
}

uint64_t ControlFinder::end_of(uint32_t value) {
  if (ends_.size() <= value) ends_.resize(value + 1, 1);
  uint64_t& out = ends_[value];
  if (out == 1) {
    const BlockDef* def = values_.dictionary().find(value);
    out = def == nullptr || value == 0 || value - def->id.value + 1 != def->variants
              ? 0
              : def->last_instruction().value;
  }
  return out;
}

uint32_t ControlFinder::search(const FrameIndex& index, uint32_t frame, uint32_t from,
                               const std::vector<uint64_t>& branches) {
  uint32_t at = from;
  for (uint32_t steps = 0; at != FrameIndex::kNone && steps < kStepsAtOnce; ++steps) {
    if (std::ranges::binary_search(branches, end_of(index.value(at)))) return at;
    at = index.previous(at);
  }
  if (at == FrameIndex::kNone) return at;
  // Far away: others will ask about this frame, too.
  const auto [found, is_new] = executions_.try_emplace({index.first_segment(), frame});
  if (is_new) {
    for (uint32_t i = index.frame(frame).last; i != FrameIndex::kNone; i = index.previous(i))
      if (const uint64_t end = end_of(index.value(i)); end != 0) found->second[end].push_back(i);
    for (auto& [end, blocks] : found->second) std::ranges::reverse(blocks);
  }
  uint32_t best = FrameIndex::kNone;
  for (const uint64_t branch : branches) {
    const auto executed = found->second.find(branch);
    if (executed == found->second.end()) continue;
    const auto behind = std::ranges::upper_bound(executed->second, at);
    if (behind == executed->second.begin()) continue;
    const uint32_t last = *std::prev(behind);
    if (best == FrameIndex::kNone || last > best) best = last;
  }
  return best;
}

void ControlFinder::answer(const FrameIndex& index, uint32_t frame, uint32_t from, uint32_t asker,
                           const std::vector<uint64_t>& branches, Found& out) {
  uint32_t decided = branches.empty() ? FrameIndex::kNone : search(index, frame, from, branches);
  const FrameIndex::Frame& there = index.frame(frame);
  if (decided == FrameIndex::kNone) {
    if (there.is_inherited) {
      if (index.first_segment() > 0) out.open.push_back({asker, there, &branches});
      return;
    }
    decided = there.call;
  }
  if (decided == FrameIndex::kNone) return;  // a thread's first code, or a signal handler
  out.answers.push_back({asker, index.block(decided)});
}

Result<void> ControlFinder::ask(const InstructionAt& at, uint32_t value, uint32_t asker,
                                Found& out) {
  TRY(const FrameIndex* there, index(at.block.segment));
  const uint32_t number = there->number(at.block);
  const uint32_t frame = there->frame_of(number);
  if (frame == FrameIndex::kNone) return {};
  const BlockDef* def = values_.dictionary().find(value);
  if (def == nullptr) return {};
  uint64_t address = def->address.value;
  for (uint32_t i = 0; i < at.instruction && i < def->instructions(); ++i)
    address += def->lengths[i];
  const FrameEntry& entry = values_.reader().frames()[values_.process().segments[at.block.segment]];
  TRY(const std::vector<uint64_t>* branches,
      relation_.branches(address, entry.segment.first_block + at.block.ordinal));
  answer(*there, frame, there->previous(number), asker, *branches, out);
  return {};
}

Result<void> ControlFinder::go_on(uint32_t segment, const std::vector<Question>& questions,
                                  Found& out) {
  if (questions.empty()) return {};
  TRY(const FrameIndex* there, index(segment));
  for (const Question& question : questions) {
    if (!there->has_run(question.frame.thread)) {
      if (there->first_segment() > 0) out.open.push_back(question);
      continue;
    }
    const uint32_t frame = there->find_at_end(question.frame);
    if (frame == FrameIndex::kNone) continue;
    answer(*there, frame, there->frame(frame).last, question.asker, *question.branches, out);
  }
  return {};
}

}  // namespace twinrun
