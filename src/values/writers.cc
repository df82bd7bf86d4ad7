// SPDX-License-Identifier: MIT
// Who wrote these bytes last? Looks backward from a moment until every byte has a writer.
//
// Nothing is indexed beforehand: a question goes back through the segments of the process, in each
// of them through the blocks, from the last to the first, and takes from every store, register
// write or event from outside those bytes that have no writer yet. Right because what is met first
// going backward was written last; bytes keep the first writer that they get, so that several
// writers can share a word. In the block of the moment only statements in front of it count, and of
// a block that a signal left in its middle only the steps that ran.
//
// What makes it fast is what is not looked at. A segment is skipped when its summary has none of
// the lines of 64 bytes asked for, or for registers when no block in it writes one of their words;
// summaries of segments that are far back are made in parallel first (survey). Inside a segment the
// addresses of all accesses stand one behind the other, so that the search for memory goes over
// that array and finds the block of an access only when it is near. An address says nothing about
// the size, hence "near" is 64 bytes, and accesses of helpers that are larger are marked.
//
// Cost: one comparison for each access between the moment and the writer, in those segments that
// may have written; O(1) for the others. Registers cost a mask for each block of the thread.
#include "values/writers.h"

#include "trace/event_effects.h"

#include <algorithm>
#include <map>

namespace twinrun {
namespace {

constexpr uint32_t kNear = 2;

/// The bytes whose writer is still unknown.
class Wanted {
 public:
  Wanted(uint64_t start, uint32_t size) : start_(start), writers_(size), found_(size, false) {}

  [[nodiscard]] bool all_found() const { return count_ == found_.size(); }
  [[nodiscard]] uint64_t start() const { return start_; }
  [[nodiscard]] uint64_t size() const { return found_.size(); }
  [[nodiscard]] bool touches(uint64_t address, uint64_t length) const {
    return address < start_ + size() && start_ < address + length;
  }

  void found(uint64_t address, uint64_t length, const LastWriter& writer) {
    const uint64_t from = std::max(address, start_);
    const uint64_t to = std::min(address + length, start_ + size());
    for (uint64_t at = from; at < to; ++at) {
      if (found_[at - start_]) continue;
      found_[at - start_] = true;
      writers_[at - start_] = writer;
      ++count_;
    }
  }

  [[nodiscard]] std::vector<BytesWritten> result() const {
    std::vector<BytesWritten> out;
    for (uint32_t i = 0; i < found_.size(); ++i) {
      if (!out.empty() && out.back().writer == writers_[i])
        ++out.back().count;
      else
        out.push_back({i, 1, writers_[i]});
    }
    return out;
  }

 private:
  uint64_t start_;
  std::vector<LastWriter> writers_;
  std::vector<bool> found_;
  size_t count_ = 0;
};

/// Behind the last of the first `end` addresses that is less than `span` behind `low`; 0: there is
/// none. A search passes hundreds of thousands of them: one comparison each, four at a time.
uint32_t last_between(const std::vector<uint64_t>& addresses, uint32_t end, uint64_t low,
                      uint64_t span) {
  const uint64_t* const all = addresses.data();
  const auto is_there = [&](uint32_t i) { return all[i] - low < span; };
  while (end >= 4) {
    if (is_there(end - 1) | is_there(end - 2) | is_there(end - 3) | is_there(end - 4)) break;
    end -= 4;
  }
  while (end > 0 && !is_there(end - 1)) --end;
  return end;
}

/// Statement of a block to which an access or a register write belongs.
uint32_t statement_of(const std::vector<BlockFlow::Range>& ranges, uint32_t index) {
  const auto behind =
      std::ranges::upper_bound(ranges, index, {}, [](const BlockFlow::Range& r) { return r.end; });
  return static_cast<uint32_t>(behind - ranges.begin());
}

}  // namespace

Result<std::vector<BytesWritten>> LastWriters::memory(Moment at, uint64_t address, uint32_t size,
                                                      Search search, uint32_t since) {
  Wanted wanted(address, size);
  // Accesses have at most 64 bytes, but for those of helpers.
  const auto is_near = [&](const SegmentValues& segment, uint32_t i) {
    const uint64_t start = segment.addresses[i];
    if (start >= address + size) return false;
    return start + 64 > address || (segment.has_large && segment.is_large[i]);
  };
  for (uint32_t number = at.block.segment + 1; number-- > since && !wanted.all_found();) {
    const bool is_first = number == at.block.segment;
    // A few segments back the computed values may be at hand; a longer way is looked over first.
    if (!values_.is_surveyed(number) && at.block.segment - number > kNear)
      TRY_VOID(values_.survey(number));
    if (!is_first && !values_.may_write(number, address, size)) {
      // What it maps is not among its lines, and segments that map have been computed.
      const std::vector<OutsideWrite>* maps = values_.mappings(number);
      if (maps != nullptr && std::ranges::none_of(*maps, [&](const OutsideWrite& map) {
            return wanted.touches(map.address, map.length);
          }))
        continue;
    }
    ++segments_searched_;
    TRY(const SegmentValues* segment, values_.segment(number));
    uint32_t ordinal = is_first ? at.block.ordinal : segment->block_count();
    size_t outside = segment->outside.size();
    while (outside > 0 && is_first && segment->outside[outside - 1].at > ordinal) --outside;
    const auto take_outside = [&](uint32_t begun, bool all) {
      for (; outside > 0 && (all || segment->outside[outside - 1].at > begun); --outside) {
        const OutsideWrite& write = segment->outside[outside - 1];
        if (write.kind == OutsideWrite::Kind::kRegisters) continue;
        if (wanted.touches(write.address, write.length)) {
          wanted.found(
              write.address, write.length,
              {.kind = LastWriter::Kind::kOutside, .block = {number, write.at}, .outside = write});
        }
      }
    };
    const auto look_at = [&](uint32_t block, uint32_t before_statement) -> Result<void> {
      const uint32_t end = segment->first_access[block + 1];
      const uint32_t first = segment->first_access[block];
      const BlockFlow* flow = nullptr;
      for (uint32_t i = end; i-- > first && !wanted.all_found();) {
        if (segment->addresses[i] == SegmentValues::kNotDone) continue;
        // Cheap before the block is looked up: most accesses are elsewhere.
        if (!is_near(*segment, i)) continue;
        if (flow == nullptr) {
          const BlockDef* def = values_.dictionary().find(segment->value(block));
          if (def == nullptr) return fail("T022", "a block is not defined");
          TRY(flow, flows_.of(*def));
        }
        const MemoryAccess& access = flow->code->accesses[i - first];
        if (access.kind != MemoryAccess::Kind::kStore && search == Search::kStores) continue;
        if (!wanted.touches(segment->addresses[i], access.size)) continue;
        const uint32_t statement = statement_of(flow->accesses_of, i - first);
        if (statement >= before_statement) continue;
        wanted.found(segment->addresses[i], access.size,
                     {.kind = LastWriter::Kind::kStatement,
                      .block = {number, block},
                      .statement = statement,
                      .access = i - first});
      }
      return {};
    };
    if (is_first && ordinal < segment->block_count()) TRY_VOID(look_at(ordinal, at.statement));
    // From one access that may be the one to the next; blocks between them are not looked at.
    const auto& starts = segment->first_access;
    while (ordinal > 0 && !wanted.all_found()) {
      uint32_t behind = starts[ordinal];
      if (!segment->has_large) {
        behind = last_between(segment->addresses, behind, address - 63, uint64_t{size} + 63);
      } else {
        while (behind > 0 && !is_near(*segment, behind - 1)) --behind;
      }
      const auto next = std::upper_bound(starts.begin(), starts.begin() + ordinal, behind - 1);
      ordinal = behind == 0 ? 0 : static_cast<uint32_t>(next - starts.begin()) - 1;
      take_outside(ordinal, false);
      if (behind > 0 && !wanted.all_found()) TRY_VOID(look_at(ordinal, ~0u));
    }
    if (!wanted.all_found()) take_outside(0, true);
  }
  if (!wanted.all_found()) {
    const bool forked = values_.process().info.origin == TW_ORIGIN_FORK;
    wanted.found(address, size,
                 {.kind = forked ? LastWriter::Kind::kParent : LastWriter::Kind::kStart});
  }
  return wanted.result();
}

Result<const WordMask*> LastWriters::mask_of(uint32_t value) {
  const auto known = [](const WordMask& mask) { return mask[1] >> 63 != 0; };
  if (value < masks_.size() && known(masks_[value])) return &masks_[value];
  const BlockDef* def = values_.dictionary().find(value);
  if (def == nullptr) return fail("T022", "a block is not defined");
  TRY(const CompiledBlock* code, values_.code().compiled(*def));
  if (masks_.size() <= value) masks_.resize(size_t{value} * 2 + 1);
  WordMask& mask = masks_[value];
  for (const RegisterWrite& write : code->register_writes) {
    if (write.offset_from != RegisterWrite::kFixed) {
      mask = {~uint64_t{0}, ~uint64_t{0}};
      break;
    }
    for (uint32_t word = write.offset / 8; word <= (write.offset + write.size - 1) / 8; ++word)
      mark_word(mask, word);
  }
  mask[1] |= uint64_t{1} << 63;
  return &mask;
}

Result<const WordMask*> LastWriters::segment_mask(uint32_t segment) {
  if (segment_masks_.size() <= segment) segment_masks_.resize(values_.segments());
  auto& slot = segment_masks_[segment];
  if (slot) return &*slot;
  TRY(const SegmentData data,
      values_.reader().load(values_.process().segments[segment],
                            stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS)));
  WordMask mask{};
  const ByteSpan blocks = data.blocks();
  uint32_t last = 0;
  for (size_t i = 0; i < blocks.size() / 4; ++i) {
    const uint32_t value = block_at(blocks, i);
    if (value == last) continue;
    last = value;
    TRY(const WordMask* written, mask_of(value));
    mask[0] |= (*written)[0];
    mask[1] |= (*written)[1];
  }
  EventReader events(data.events());
  for (Event event; events.next(event);) {
    std::visit(Effects{[](const NoEffect&) {},
                       [&](const StateEvent& e) {
                         if (e.reason == TW_STATE_SWITCH) mask = {~uint64_t{0}, ~uint64_t{0}};
                       },
                       [&](const StateDeltaEvent& e) {
                         for_each_word(e, [&](uint64_t offset, ByteSpan) {
                           mark_word(mask, static_cast<uint32_t>(offset / 8));
                         });
                       }},
               register_effect(event));
  }
  slot = mask;
  return &*slot;
}

Result<std::vector<BytesWritten>> LastWriters::registers(Moment at, uint32_t offset,
                                                         uint32_t size) {
  Wanted wanted(offset, size);
  WordMask words{};
  for (uint32_t word = offset / 8; word <= (offset + size - 1) / 8; ++word) mark_word(words, word);
  uint32_t thread = 0;
  for (uint32_t number = at.block.segment + 1; number-- > 0 && !wanted.all_found();) {
    const bool is_first = number == at.block.segment;
    if (!is_first) {
      TRY(const WordMask* mask, segment_mask(number));
      if ((((*mask)[0] & words[0]) | ((*mask)[1] & words[1])) == 0) continue;
    }
    ++segments_searched_;
    TRY(const SegmentValues* segment, values_.segment(number));
    uint32_t ordinal = is_first ? at.block.ordinal : segment->block_count();
    if (is_first) thread = segment->thread_of(ordinal);
    size_t outside = segment->outside.size();
    while (outside > 0 && is_first && segment->outside[outside - 1].at > ordinal) --outside;
    const auto take_outside = [&](uint32_t begun, bool all) {
      for (; outside > 0 && (all || segment->outside[outside - 1].at > begun); --outside) {
        const OutsideWrite& write = segment->outside[outside - 1];
        if (write.kind != OutsideWrite::Kind::kRegisters || write.thread != thread) continue;
        if (wanted.touches(write.address, write.length)) {
          wanted.found(
              write.address, write.length,
              {.kind = LastWriter::Kind::kOutside, .block = {number, write.at}, .outside = write});
        }
      }
    };
    const auto look_at = [&](uint32_t block, uint32_t before_statement) -> Result<void> {
      const uint32_t value = segment->value(block);
      TRY(const auto* mask, mask_of(value));
      if ((((*mask)[0] & words[0]) | ((*mask)[1] & words[1])) == 0) return {};
      TRY(const BlockFlow* flow, flows_.of(*values_.dictionary().find(value)));
      TRY(const uint32_t ops, ops_run(*segment, block));
      for (uint32_t i = static_cast<uint32_t>(flow->code->register_writes.size()); i-- > 0;) {
        const RegisterWrite& write = flow->code->register_writes[i];
        if (write.op >= ops) continue;
        const uint32_t statement = statement_of(flow->register_writes_of, i);
        if (statement >= before_statement) continue;
        uint64_t to = write.offset;
        uint64_t length = write.size;
        if (write.offset_from != RegisterWrite::kFixed) {
          // Which element was written is known from the indexed statement's whole range only.
          const IrStatement& st = flow->ir.statements[statement];
          to = st.offset;
          length = uint64_t{st.element_count} * type_size(st.element_type);
        }
        if (!wanted.touches(to, length)) continue;
        wanted.found(to, length,
                     {.kind = LastWriter::Kind::kStatement,
                      .block = {number, block},
                      .statement = statement,
                      .access = i});
      }
      return {};
    };
    if (is_first && ordinal < segment->block_count()) TRY_VOID(look_at(ordinal, at.statement));
    auto run = segment->runs.runs.size();
    while (ordinal > 0 && !wanted.all_found()) {
      while (run > 0 && segment->runs.runs[run - 1].first >= ordinal) --run;
      if (run == 0) break;
      const ThreadRun& here = segment->runs.runs[run - 1];
      if (here.thread != thread) {
        ordinal = here.first;
        continue;
      }
      for (; ordinal > here.first && !wanted.all_found(); --ordinal) {
        take_outside(ordinal - 1, false);
        TRY_VOID(look_at(ordinal - 1, ~0u));
      }
    }
    if (!wanted.all_found()) take_outside(0, true);
  }
  if (!wanted.all_found()) {
    const bool forked = values_.process().info.origin == TW_ORIGIN_FORK;
    wanted.found(offset, size,
                 {.kind = forked ? LastWriter::Kind::kParent : LastWriter::Kind::kStart});
  }
  return wanted.result();
}

Result<uint32_t> LastWriters::ops_run(const SegmentValues& segment, uint32_t ordinal) {
  const uint32_t value = segment.value(ordinal);
  const BlockDef* def = values_.dictionary().find(value);
  if (def == nullptr) return fail("T022", "a block is not defined");
  TRY(const CompiledBlock* code, values_.code().compiled(*def));
  const auto partial =
      std::ranges::lower_bound(segment.runs.partial, ordinal, {}, &PartialBlock::ordinal);
  if (partial != segment.runs.partial.end() && partial->ordinal == ordinal) {
    const size_t done = std::min<size_t>(partial->completed, code->instruction_end.size());
    return done == 0 ? 0 : code->instruction_end[done - 1];
  }
  return code->variant_end[value - def->id.value];
}

}  // namespace twinrun
