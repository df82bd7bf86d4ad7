// SPDX-License-Identifier: MIT
#include "values/values.h"

#include "base/check.h"
#include "format/registers.h"
#include "trace/cursor.h"
#include "trace/event_effects.h"
#include "trace/regen/effects.h"

#include <algorithm>
#include <ranges>
#include <thread>

namespace twinrun {
namespace {

/// What the block that was computed last stores.
void add_stores(Regenerator& regenerator, WrittenLines& lines) {
  const Regenerator::Block& block = regenerator.block();
  for_each_store(regenerator.machine(), *block.executable->code, block.ops,
                 [&](uint64_t address, uint64_t size) { lines.add(address, size); });
}

/// A thread that was there when a late process began, as far as its first registers go: nobody
/// wrote them that the recording knows of.
bool is_from_before(const Reader& reader, const Process& process, uint32_t segment,
                    uint32_t thread) {
  const bool is_first_chunk = reader.frames()[process.segments[segment]].segment.chunk == 0;
  if (process.info.origin != TW_ORIGIN_LATE || !is_first_chunk) return false;
  const auto data = reader.load(process.segments[0], stream_bit(TW_STREAM_EVENTS));
  if (!data) return false;
  EventReader events(data->events());
  for (Event event; events.next(event) && event.at == 0;) {
    if (event.kind != EventKind::kThreadStart) continue;
    if (const auto start = ThreadEvent::parse(event); start && start->thread == thread) return true;
  }
  return false;
}

}  // namespace

void WrittenLines::add_line(uint64_t line) {
  if (recent_.empty()) recent_.resize(kRecent, ~uint64_t{0});
  if (std::exchange(recent_[line % kRecent], line) == line) return;
  lines_.push_back(line);
  // The list would follow the length of the segment instead of what it touches.
  if (lines_.size() <= most_) return;
  tidy();
  most_ = std::max(kMost, 2 * lines_.size());
}

void WrittenLines::tidy() {
  std::ranges::sort(lines_);
  lines_.erase(std::ranges::unique(lines_).begin(), lines_.end());
}

std::vector<uint64_t> WrittenLines::take() {
  tidy();
  recent_.clear();
  lines_.shrink_to_fit();
  return std::exchange(lines_, {});
}

uint32_t SegmentSteps::thread_of(uint32_t ordinal) const {
  const auto behind = std::ranges::upper_bound(runs.runs, ordinal, {}, &ThreadRun::first);
  return behind == runs.runs.begin() ? 0 : std::prev(behind)->thread;
}

size_t SegmentValues::bytes() const {
  size_t out = blocks.size() + (first_access.size() + counts.size()) * 4 +
               (addresses.size() + values.size() + steps.size()) * 8 + addresses.size() / 8 +
               outside.size() * sizeof(OutsideWrite);
  for (const RegenerationPoint& point : points) out += point.predictor.size();
  return out;
}

Result<std::unique_ptr<ProcessValues>> ProcessValues::open(const RunProcess& process) {
  if (!process.reader().has_values()) {
    return std::unexpected(Error{
        "V001", "the recording has no values", "record again without --control-flow-only", {}});
  }
  const uint32_t state_size = process.process().info.state_size;
  if (state_size > kTempsOffset || state_size < reg::kRip + 8)
    return fail("T006", "process {} has a register file of {} bytes", process.number(), state_size);
  return std::unique_ptr<ProcessValues>(new ProcessValues(process));
}

ProcessValues::ProcessValues(const RunProcess& process)
    : reader_(process.reader()),
      process_(process.process()),
      dictionary_(process.dictionary()),
      code_(dictionary_, process_.info.state_size),
      regenerator_(std::make_unique<Regenerator>(reader_, process_, code_)),
      states_(process_.segments.size()),
      lines_(process_.segments.size()),
      mappings_(process_.segments.size()) {}

bool ProcessValues::starts_chunk(uint32_t number) const {
  const FrameEntry& frame = reader_.frames()[process_.segments[number]];
  return number == 0 || (frame.segment.flags & TW_SEGMENT_CHUNK_START) != 0;
}

Result<void> ProcessValues::go_to(uint32_t number) {
  if (stands_at_ == number) return {};
  // The nearest start at or before it: a saved state, or a chunk's first segment, which needs none.
  uint32_t start = number;
  while (!states_[start] && !starts_chunk(start) && stands_at_ != start) --start;
  if (const auto& state = states_[start]) {
    regenerator_->restore(*state);
  } else if (stands_at_ != start) {
    regenerator_ = std::make_unique<Regenerator>(reader_, process_, code_);
  }
  stands_at_ = start;
  while (stands_at_ < number) {
    const bool is_near = number - stands_at_ < kSegmentsKept;
    TRY_VOID(compute(stands_at_, is_near && !has(stands_at_)));
  }
  return {};
}

void ProcessValues::add_register_changes(SegmentValues& out, const Event& event, uint32_t number) {
  const auto change = [&](uint32_t thread, uint64_t offset, uint64_t length) {
    const uint64_t call =
        thread < syscall_of_thread_.size() ? syscall_of_thread_[thread] : OutsideWrite::kNone;
    out.outside.push_back({static_cast<uint32_t>(event.at), OutsideWrite::Kind::kRegisters, thread,
                           offset, length, number, call});
  };
  std::visit(
      Effects{[](const NoEffect&) {},
              [&](const StateDeltaEvent& e) {
                for_each_word(e, [&](uint64_t offset, ByteSpan) { change(e.thread, offset, 8); });
              },
              [&](const StateEvent& e) {
                if (e.reason != TW_STATE_SWITCH) return;
                const ByteSpan before = regenerator_->registers(e.thread);
                if (before.empty() && is_from_before(reader_, process_, out.number, e.thread)) {
                  // Of a call that it was in, there is the result.
                  if (e.thread < syscall_of_thread_.size() &&
                      syscall_of_thread_[e.thread] != OutsideWrite::kNone)
                    change(e.thread, reg::kRax, 8);
                  return;
                }
                if (before.empty()) return change(e.thread, 0, e.bytes.size());
                const size_t size = std::min(before.size(), e.bytes.size());
                for (size_t at = 0; at + 8 <= size; at += 8) {
                  if (!std::ranges::equal(before.subspan(at, 8), e.bytes.subspan(at, 8)))
                    change(e.thread, at, 8);
                }
              }},
      register_effect(event));
}

std::optional<OutsideWrite> ProcessValues::memory_change(const Event& event, uint32_t segment,
                                                         uint32_t number) const {
  const auto at = static_cast<uint32_t>(event.at);
  using Kind = OutsideWrite::Kind;
  using Change = std::optional<OutsideWrite>;
  const auto changed = [&](Kind kind, Addr address, uint64_t length, uint32_t thread = 0) {
    return Change({at, kind, thread, address.value, length, number});
  };
  const auto write = [&](const MemoryEvent& e) {
    const bool is_startup = event.kind == EventKind::kInitialStack || e.part == TW_PART_STARTUP;
    const Kind kind = e.part == TW_PART_SIGNAL ? Kind::kSignal
                      : is_startup             ? Kind::kStartup
                                               : Kind::kSyscall;
    return changed(kind, e.address, e.bytes.size(), e.thread);
  };
  const auto map = [&](const MapEvent& e) {
    // A forked process begins with a list of what it has from its parent, and a late one with what
    // it had by then.
    const uint32_t origin = process_.info.origin;
    const bool begins_with_list = origin == TW_ORIGIN_FORK || origin == TW_ORIGIN_LATE;
    const uint64_t first = reader_.frames()[process_.segments[segment]].segment.first_block;
    const bool is_inherited = begins_with_list && first + at == 0;
    return is_inherited ? Change() : changed(Kind::kMapped, e.address, e.length);
  };
  return std::visit(
      Effects{write, map, [&](const Moved& e) { return changed(Kind::kClobbered, e.to, e.length); },
              [&](const Clobbered& e) { return changed(Kind::kClobbered, e.address, e.length); },
              [](const Unmapped&) { return Change(); }, [](const Protected&) { return Change(); },
              [](const NoEffect&) { return Change(); }},
      memory_effect(event));
}

void ProcessValues::add_event(SegmentValues& out, const Event& event, uint32_t number) {
  if (event.kind == EventKind::kSyscall) {
    const auto e = SyscallEvent::parse(event);
    if (!e || e->thread >= (1u << 20)) return;
    if (syscall_of_thread_.size() <= e->thread)
      syscall_of_thread_.resize(e->thread + 1, OutsideWrite::kNone);
    syscall_of_thread_[e->thread] = e->number;
    return;
  }
  add_register_changes(out, event, number);
  if (auto change = memory_change(event, out.number, number)) {
    if (change->kind == OutsideWrite::Kind::kSyscall && change->thread < syscall_of_thread_.size())
      change->syscall = syscall_of_thread_[change->thread];
    out.outside.push_back(*change);
  }
}

void ProcessValues::summarize(uint32_t number, WrittenLines& lines,
                              const std::vector<OutsideWrite>& outside) {
  if (lines_[number]) return;
  std::vector<OutsideWrite> mappings;
  for (const OutsideWrite& write : outside) {
    if (write.kind == OutsideWrite::Kind::kRegisters || write.length == 0) continue;
    // Mappings can be huge; they are looked at by their ranges, not by lines.
    if (write.kind == OutsideWrite::Kind::kMapped)
      mappings.push_back(write);
    else
      lines.add(write.address, write.length);
  }
  lines_[number] = lines.take();
  mappings_[number] = std::move(mappings);
}

void ProcessValues::learn(uint32_t segment, std::vector<uint64_t> lines,
                          std::vector<OutsideWrite> mappings) {
  if (lines_[segment]) return;
  lines_[segment] = std::move(lines);
  mappings_[segment] = std::move(mappings);
}

void ProcessValues::Surveyor::enter(uint32_t segment) {
  if (segment == segment_) return;
  if (!is_known_) values_.summarize(segment_, lines_, outside_);
  lines_ = {};
  outside_.clear();
  segment_ = segment;
  is_known_ = values_.is_surveyed(segment);
}

void ProcessValues::Surveyor::take(uint32_t segment, Regenerator& regenerator) {
  enter(segment);
  if (!is_known_) add_stores(regenerator, lines_);
}

void ProcessValues::Surveyor::take(uint32_t segment, const Event& event) {
  enter(segment);
  if (is_known_) return;
  if (const auto change = values_.memory_change(event, segment, 0)) outside_.push_back(*change);
}

/// Computes the segment at whose start the regenerator stands.
Result<void> ProcessValues::compute(uint32_t number, bool keep) {
  CHECK(stands_at_ == number);
  ++computed_;
  if (!states_[number] && states_kept_ < kStatesMost) {
    states_[number] = regenerator_->save();
    ++states_kept_;
  }
  stands_at_ = ~0u;
  TRY_VOID(regenerator_->enter(number));
  SegmentValues out;
  out.number = number;
  if (keep) begin_accesses(number);
  const bool is_surveyed_before = is_surveyed(number);
  WrittenLines lines;
  uint32_t events = 0;
  for (;;) {
    TRY(const Regenerator::Item item, regenerator_->next());
    if (item == Regenerator::Item::kEnd) break;
    if (item == Regenerator::Item::kEvent) {
      add_event(out, regenerator_->event(), events++);
      continue;
    }
    if (!is_surveyed_before) add_stores(*regenerator_, lines);
    if (!keep) continue;
    take_accesses();
    if ((regenerator_->block().ordinal + 1) % kBlocksBetweenPoints == 0)
      out.points.push_back(regenerator_->point());
  }
  summarize(number, lines, out.outside);
  stands_at_ = number + 1;
  return keep ? keep_segment(std::move(out)) : Result<void>();
}

Result<void> ProcessValues::count_steps(ByteSpan blocks, ByteSpan events, SegmentSteps& out) const {
  const FrameEntry& frame = reader_.frames()[process_.segments[out.number]];
  TRY(out.runs, segment_runs(events, frame.segment.block_count, frame.segment.thread_at_start));
  TRY_VOID(count_each_block(dictionary_.counts(), blocks, out.runs, frame.threads, out.counts));
  out.steps.resize(out.counts.size());
  std::map<uint32_t, uint64_t> step;
  for (const TwThreadSpan& span : frame.threads) step[span.thread] = span.first_step;
  for (const ThreadRun& run : out.runs.runs) {
    uint64_t& now = step[run.thread];
    for (uint32_t i = run.first; i < run.first + run.count && i < out.counts.size(); ++i) {
      out.steps[i] = now;
      now += out.counts[i];
    }
  }
  return {};
}

Result<const SegmentSteps*> ProcessValues::walk(uint32_t number) {
  TRY(const SegmentData data,
      reader_.load(process_.segments[number],
                   stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS)));
  SegmentSteps out{.number = number};
  out.take_blocks(data);
  TRY_VOID(count_steps(data.blocks(), data.events(), out));
  walked_.push_front(std::move(out));
  if (walked_.size() > kWalkedKept) walked_.pop_back();
  return &walked_.front();
}

void ProcessValues::begin_accesses(uint32_t number) {
  accesses_.first_access.clear();
  accesses_.addresses.clear();
  accesses_.values.clear();
  large_.clear();
  if (accesses_.addresses.capacity() != 0) return;
  // Growing would copy them again and again; pages that are not touched cost nothing.
  const TwSegmentHeader& segment = reader_.frames()[process_.segments[number]].segment;
  accesses_.first_access.reserve(size_t{segment.block_count} + 1);
  accesses_.addresses.reserve(segment.instruction_count);
  accesses_.values.reserve(segment.instruction_count);
}

/// Of the block that was computed last.
void ProcessValues::take_accesses() {
  Machine& machine = regenerator_->machine();
  const Regenerator::Block& block = regenerator_->block();
  accesses_.first_access.push_back(static_cast<uint32_t>(accesses_.addresses.size()));
  for (const MemoryAccess& access : block.executable->code->accesses) {
    if (access.op >= block.ops) break;
    // Whole words, without what is behind a shorter one: a copy of any size would be a call.
    uint64_t value = 0;
    std::memcpy(&value, machine.at(access.value), sizeof value);
    if (access.size < sizeof value) value &= (uint64_t{1} << 8 * access.size) - 1;
    const uint64_t address = machine.word(access.address) + access.displacement;
    if (access.size > SegmentValues::kLarge)
      large_.push_back(static_cast<uint32_t>(accesses_.addresses.size()));
    accesses_.addresses.push_back(holds(machine, access.guard) ? address : SegmentValues::kNotDone);
    accesses_.values.push_back(value);
  }
}

/// Puts together what is kept of the segment that was computed last.
Result<void> ProcessValues::keep_segment(SegmentValues out) {
  out.first_access = std::exchange(accesses_.first_access, {});
  out.addresses = std::exchange(accesses_.addresses, {});
  out.values = std::exchange(accesses_.values, {});
  out.first_access.push_back(static_cast<uint32_t>(out.addresses.size()));
  out.has_large = !large_.empty();
  if (out.has_large) out.is_large.resize(out.addresses.size());
  for (const uint32_t access : large_) out.is_large[access] = true;
  out.take_blocks(regenerator_->data());
  const SegmentData& data = regenerator_->data();
  TRY_VOID(count_steps(data.blocks(), data.events(), out));
  // What a killed process left may end in a block that was not computed.
  out.first_access.resize(out.counts.size() + 1, static_cast<uint32_t>(out.addresses.size()));
  std::ranges::stable_sort(out.outside, {}, &OutsideWrite::at);
  recent_.push_front(std::make_shared<SegmentValues>(std::move(out)));
  recent_bytes_ += recent_.front()->bytes();
  while (recent_.size() > kSegmentsKept && recent_bytes_ > kBytesKept) {
    recent_bytes_ -= recent_.back()->bytes();
    reuse(recent_.back());
    recent_.pop_back();
  }
  return {};
}

/// The next segment goes where one was that nobody has any more: fresh pages cost as much as
/// filling them.
void ProcessValues::reuse(const std::shared_ptr<SegmentValues>& old) {
  if (old.use_count() != 1) return;
  accesses_.first_access = std::move(old->first_access);
  accesses_.addresses = std::move(old->addresses);
  accesses_.values = std::move(old->values);
}

const SegmentValues* ProcessValues::kept(uint32_t number) const {
  const auto found =
      std::ranges::find(recent_, number, [](const auto& held) { return held->number; });
  return found == recent_.end() ? nullptr : found->get();
}

Result<void> ProcessValues::survey(uint32_t number) {
  // The chunks at and before the segment, one for each worker: a search goes backward.
  std::vector<std::pair<uint32_t, uint32_t>> chunks;  // first segment and the one behind the last
  const size_t workers = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  uint32_t end = number + 1;
  while (end < segments() && !starts_chunk(end)) ++end;
  for (uint32_t first = end; first > 0 && chunks.size() < workers; end = first) {
    do --first;
    while (!starts_chunk(first));
    const auto is_new = [&](uint32_t i) { return !lines_[i]; };
    if (std::ranges::any_of(std::views::iota(first, end), is_new)) chunks.emplace_back(first, end);
  }
  while (surveyors_.size() < chunks.size())
    surveyors_.push_back(std::make_unique<CodeCache>(dictionary_, process_.info.state_size));
  std::vector<Result<void>> results(chunks.size());
  {
    std::vector<std::jthread> threads;
    threads.reserve(chunks.size());
    for (size_t i = 0; i < chunks.size(); ++i) {
      threads.emplace_back(
          [&, i] { results[i] = survey_chunk(chunks[i].first, chunks[i].second, *surveyors_[i]); });
    }
  }
  for (const Result<void>& result : results) TRY_VOID(result);
  return {};
}

/// Fills the summaries of segments [first, end), which are a chunk; other threads do the same with
/// other ones.
Result<void> ProcessValues::survey_chunk(uint32_t first, uint32_t end, CodeCache& code) {
  Regenerator regenerator(reader_, process_, code);
  for (uint32_t number = first; number < end; ++number) {
    TRY_VOID(regenerator.enter(number));
    WrittenLines lines;
    std::vector<OutsideWrite> outside;
    for (;;) {
      TRY(const Regenerator::Item item, regenerator.next());
      if (item == Regenerator::Item::kEnd) break;
      if (item == Regenerator::Item::kEvent) {
        if (const auto change = memory_change(regenerator.event(), number, 0))
          outside.push_back(*change);
        continue;
      }
      add_stores(regenerator, lines);
    }
    summarize(number, lines, outside);
  }
  return {};
}

Result<const SegmentSteps*> ProcessValues::steps(uint32_t number) {
  if (const SegmentValues* computed = kept(number)) return computed;
  for (auto it = walked_.begin(); it != walked_.end(); ++it) {
    if (it->number != number) continue;
    walked_.splice(walked_.begin(), walked_, it);
    return &walked_.front();
  }
  if (number >= segments()) return fail("T008", "there is no segment {}", number);
  return walk(number);
}

Result<const SegmentValues*> ProcessValues::segment(uint32_t number) {
  TRY(const auto held, hold(number));
  return held.get();
}

Result<std::shared_ptr<const SegmentValues>> ProcessValues::hold(uint32_t number) {
  for (auto it = recent_.begin(); it != recent_.end(); ++it) {
    if ((*it)->number != number) continue;
    recent_.splice(recent_.begin(), recent_, it);
    return recent_.front();
  }
  if (number >= segments()) return fail("T008", "there is no segment {}", number);
  TRY_VOID(go_to(number));
  TRY_VOID(compute(number, true));
  return recent_.front();
}

bool ProcessValues::may_write(uint32_t segment, uint64_t address, uint64_t size) const {
  const auto& lines = lines_[segment];
  if (!lines) return true;
  const auto found = std::ranges::lower_bound(*lines, address >> WrittenLines::kLineBits);
  return found != lines->end() && *found <= (address + size - 1) >> WrittenLines::kLineBits;
}

namespace {

std::optional<ProcessValues::Found> find_in(const SegmentSteps& segment, ThreadNo thread,
                                            Step step) {
  for (const ThreadRun& run : segment.runs.runs) {
    if (run.thread != thread.value || run.count == 0) continue;
    const uint32_t last = run.first + run.count - 1;
    if (last >= segment.block_count() || step.value < segment.steps[run.first] ||
        step.value >= segment.steps[last] + segment.counts[last])
      continue;
    const auto begin = segment.steps.begin() + run.first;
    const auto behind = std::upper_bound(begin, begin + run.count, step.value);
    const auto ordinal = static_cast<uint32_t>(behind - segment.steps.begin()) - 1;
    return ProcessValues::Found{{segment.number, ordinal},
                                static_cast<uint32_t>(step.value - segment.steps[ordinal])};
  }
  return std::nullopt;
}

}  // namespace

Result<ProcessValues::Found> ProcessValues::find(ThreadNo thread, Step step) {
  for (const auto& held : recent_) {
    if (const auto found = find_in(*held, thread, step)) return *found;
  }
  for (const SegmentSteps& walked : walked_) {
    if (const auto found = find_in(walked, thread, step)) return *found;
  }
  BlockCursor cursor(reader_, dictionary_, process_, thread);
  TRY(const bool there, cursor.seek(thread, step));
  Execution execution;
  const auto missing = [&] {
    return fail("T008", "thread {} of process {} has no step {}", thread.value,
                process_.info.number, step.value);
  };
  if (!there) return missing();
  TRY(const bool got, cursor.next(execution));
  if (!got || step.value - execution.step.value >= execution.instructions) return missing();
  // Whoever asks for one step mostly asks for others near it.
  TRY_VOID(walk(static_cast<uint32_t>(cursor.segment_number())));
  return Found{{static_cast<uint32_t>(cursor.segment_number()), execution.ordinal},
               static_cast<uint32_t>(step.value - execution.step.value)};
}

const RegenerationPoint* ProcessValues::point_before(BlockAt block) const {
  const RegenerationPoint* out = nullptr;
  if (const SegmentValues* segment = kept(block.segment)) {
    const auto behind =
        std::ranges::upper_bound(segment->points, block.ordinal, {}, &RegenerationPoint::ordinal);
    if (behind != segment->points.begin()) out = &*std::prev(behind);
  }
  const auto behind = near_.upper_bound(block);
  if (behind == near_.begin()) return out;
  const auto& [at, near] = *std::prev(behind);
  const bool is_nearer =
      at.segment == block.segment && (out == nullptr || at.ordinal > out->ordinal);
  return is_nearer ? &near : out;
}

uint32_t ProcessValues::chunk_start(uint32_t segment) const {
  while (!starts_chunk(segment)) --segment;
  return segment;
}

Result<void> ProcessValues::each_block(uint32_t first, uint32_t end, const Passed& passed) {
  if (end > segments()) return fail("T008", "there is no segment {}", end - 1);
  TRY_VOID(go_to(first));
  for (uint32_t number = first; number < end; ++number) {
    ++computed_;
    if (!states_[number] && states_kept_ < kStatesMost) {
      states_[number] = regenerator_->save();
      ++states_kept_;
    }
    stands_at_ = ~0u;
    TRY_VOID(regenerator_->enter(number));
    for (uint32_t ordinal = 0;;) {
      TRY(const Regenerator::Item item, regenerator_->next());
      if (item == Regenerator::Item::kEnd) break;
      if (item == Regenerator::Item::kBlock) passed({number, ordinal++}, *regenerator_);
    }
    stands_at_ = number + 1;
  }
  return {};
}

Result<Regenerator*> ProcessValues::run_to(BlockAt block, bool before, const Passed& passed) {
  const RegenerationPoint* start = point_before(block);
  if (start == nullptr) {
    TRY_VOID(go_to(block.segment));
    if (!states_[block.segment] && states_kept_ < kStatesMost) {
      states_[block.segment] = regenerator_->save();
      ++states_kept_;
    }
  }
  stands_at_ = ~0u;
  TRY_VOID(regenerator_->enter(block.segment));
  if (start != nullptr) regenerator_->resume(*start);
  for (uint32_t done = start == nullptr ? 0 : start->ordinal;;) {
    if (before && done == block.ordinal) {
      // Events in front of the block belong to the time before it.
      regenerator_->apply_events();
      return regenerator_.get();
    }
    TRY(const Regenerator::Item item, regenerator_->next());
    if (item == Regenerator::Item::kEnd) {
      const FrameEntry& frame = reader_.frames()[process_.segments[block.segment]];
      if (block.ordinal < frame.segment.block_count) {
        return fail("V005",
                    "the process ended before the values of its last block were written down");
      }
      return fail("T008", "segment {} has no block {}", block.segment, block.ordinal);
    }
    if (item != Regenerator::Item::kBlock) continue;
    if (done == block.ordinal) return regenerator_.get();
    if (passed) passed({block.segment, done}, *regenerator_);
    ++done;
    if (done % kBlocksBetweenNear == 0) {
      const BlockAt here{block.segment, done};
      const auto [point, is_new] = near_.try_emplace(here);
      if (is_new) {
        point->second = regenerator_->point();
        near_order_.push_back(here);
        if (near_order_.size() > kNearMost) {
          near_.erase(near_order_.front());
          near_order_.pop_front();
        }
      }
    }
  }
}

}  // namespace twinrun
