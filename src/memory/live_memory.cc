// SPDX-License-Identifier: MIT
// What is in the memory of a process at a moment, and what is live there?
//
// One walk from the start to the moment computes every block again and puts what is stored into an
// image. The same walk follows calls (CallTracker), allocators (AllocationListener) and the events
// that map memory; where it stops, their state is what is live. A forked process has what its
// parent had, so the walk begins with the parent.
//
// Bytes of a region that were there before it: malloc hands out what was freed, a frame lies where
// others have been. The image keeps a bit for each byte that has been stored since its region's
// birth; malloc clears the bits of what it returns, realloc carries them over, and a return clears
// those of all frames below it. How far down those reached is the lowest stack pointer at a block's
// end; a switch of stacks forgets it, so that the memory between two stacks keeps its bits.
//
// What was stored while an allocator ran is marked, too: its tables and lists of free blocks follow
// the layout of the heap, not what the program means.
//
// Cost: a block costs its computation and a few operations for each access.
#include "memory/live_memory.h"

#include "memory/allocation_listener.h"
#include "trace/event_effects.h"
#include "trace/regen/effects.h"
#include "values/process_view.h"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <tuple>
#include <utility>

namespace twinrun {
namespace {

constexpr uint64_t kRedZone = 128;
/// The stack pointer is not further below the innermost frame, else it is on another stack.
constexpr uint64_t kFrameMost = 1 << 20;
// In the frame of a signal, from its ucontext on (behind the return address).
constexpr uint64_t kSavedSp = 40 + 15 * 8;
constexpr uint64_t kSavedPc = 40 + 16 * 8;

uint64_t word_of(ByteSpan bytes, size_t offset) {
  uint64_t out = 0;
  if (offset + 8 <= bytes.size()) std::memcpy(&out, bytes.data() + offset, 8);
  return out;
}

/// Mappings by address; what is mapped over others ends them.
using Mappings = std::map<uint64_t, LiveMapping>;

std::vector<LiveMapping> cut(Mappings& all, uint64_t start, uint64_t end) {
  std::vector<LiveMapping> out;
  auto it = all.upper_bound(start);
  if (it != all.begin() && std::prev(it)->second.end > start) --it;
  while (it != all.end() && it->first < end) {
    LiveMapping inside = it->second;
    const LiveMapping old = inside;
    it = all.erase(it);
    const auto keep = [&](uint64_t from, uint64_t to) {
      LiveMapping part = old;
      part.start = from;
      part.end = to;
      part.offset += from - old.start;
      it = std::next(all.emplace(from, part).first);
    };
    if (old.start < start) keep(old.start, start);
    inside.start = std::max(old.start, start);
    inside.end = std::min(old.end, end);
    inside.offset += inside.start - old.start;
    if (old.end > end) keep(end, old.end);
    out.push_back(inside);
  }
  return out;
}

}  // namespace

/// Walks over one process of the line of forks.
class LiveWalk : public AllocationListener {
 public:
  struct Stop {
    uint64_t block = ~uint64_t{0};  // in front of this block of the process
    std::optional<Position> at;     // or in front of this instruction
  };

  LiveWalk(CallWalk& walk, LiveMemory& out, uint32_t process,
           const std::vector<AllocatorRule>& allocators, const Stop& stop)
      : AllocationListener(walk, allocators),
        walk_(walk),
        out_(out),
        process_(process),
        is_forked_(!out.mappings_.empty()),
        stop_(stop) {}

  [[nodiscard]] bool has_stopped() const { return has_stopped_; }

  bool taken(const Timeline::Item& item) {
    if (item.is_event) {
      event(item);
      return true;
    }
    const Execution& e = item.execution;
    out_.blocks_ = e.block;
    const bool is_at = stop_.at && e.thread == stop_.at->thread &&
                       stop_.at->step.value - e.step.value < e.instructions;
    if (e.block >= stop_.block || is_at) {
      has_stopped_ = true;
      if (is_at) {
        ++out_.blocks_;
        const auto instructions = static_cast<uint32_t>(stop_.at->step.value - e.step.value);
        accesses(tops(e.thread), instructions);
        areas_.take(walk_.regenerator(), e.step, walk_.dictionary(), tracker(), instructions);
      }
      return false;
    }
    const std::span<const CallFrame> frames = tops(e.thread);
    accesses(frames, ~0u);
    areas_.take(walk_.regenerator(), e.step, walk_.dictionary(), tracker());
    if (!frames.empty()) note_stack_pointer(item, frames.back().sp);
    return true;
  }

  void called(ThreadNo thread, CallFrame& frame) override {
    AllocationListener::called(thread, frame);
    uint64_t& low = lowest(thread);
    if (frame.kind == CallFrame::Kind::kSignal)
      low = ~uint64_t{0};
    else
      clear_below(low, frame.sp);
  }

  void left(ThreadNo thread, CallFrame& frame, FrameEnd how, Step step) override {
    AllocationListener::left(thread, frame, how, step);
    areas_.left(thread, frame, out_.blocks_ + 1);
    uint64_t& low = lowest(thread);
    if (how == FrameEnd::kReturn && frame.kind == CallFrame::Kind::kCall)
      clear_below(low, frame.sp + 8);
    else
      low = ~uint64_t{0};
  }

  /// The walk has ended: what is on the stacks. Told before: the frames of a parent, by their
  /// place.
  std::vector<LiveStack> frames(const std::vector<LiveStack>& before);
  std::map<uint32_t, LiveThread> threads();

 private:
  void made(const Allocation& made, const AllocatorRule& rule) override {
    LiveAllocation& live = out_.allocations_[{made.address, is_custom(rule)}];
    live = {made, {process_, made.block, made.thread, 0}, names_[made.allocator], 0};
    out_.image_.begin_region(made.address, made.size);
    if (rule.kind == AllocatorRule::Kind::kAllocate && rule.count != AllocatorRule::kNone)
      live.defined = made.size;
    if (rule.kind != AllocatorRule::Kind::kResize) return;
    // What was in the old block is in the new one.
    const auto found = resized_.find(made.thread.value);
    if (found == resized_.end()) return;
    live.defined = std::min(found->second.defined, made.size);
    if (found->second.stored.size() > made.size) found->second.stored.resize(made.size);
    out_.image_.set_stored(made.address, found->second.stored);
    resized_.erase(found);
  }
  void freed(uint64_t address, const Allocation& /*end*/, const AllocatorRule& rule) override {
    const auto found = out_.allocations_.find({address, is_custom(rule)});
    if (found == out_.allocations_.end()) return;
    // What a custom allocator has given out of the block goes with it.
    const uint64_t end = address + found->second.made.size;
    for (auto it = out_.allocations_.erase(found);
         it != out_.allocations_.end() && it->first.first < end && it->first.second;)
      it = out_.allocations_.erase(it);
  }
  void begins(const AllocatorRule& rule, uint64_t pointer, const Allocation& call) override {
    if (rule.kind != AllocatorRule::Kind::kResize) return;
    resized_.erase(call.thread.value);
    const auto old = out_.allocations_.find({pointer, is_custom(rule)});
    if (old == out_.allocations_.end()) return;
    resized_[call.thread.value] = {old->second.defined,
                                   out_.image_.stored(pointer, old->second.made.size)};
  }
  uint32_t add_allocator(std::string name) override {
    names_.push_back(std::move(name));
    return static_cast<uint32_t>(names_.size() - 1);
  }

  [[nodiscard]] const CallTracker& tracker() const { return std::as_const(walk_).tracker(); }
  [[nodiscard]] std::span<const CallFrame> tops(ThreadNo thread) const {
    return tracker().frames(thread);
  }
  [[nodiscard]] static bool is_allocator(std::span<const CallFrame> frames) {
    return !frames.empty() && frames.back().tag != 0;
  }
  [[nodiscard]] bool runs_allocator(ThreadNo thread) const { return is_allocator(tops(thread)); }

  void clear_below(uint64_t& low, uint64_t end) {
    if (low < end && end - low <= kFrameMost)
      out_.image_.begin_region(low - kRedZone, end - low + kRedZone);
    low = end;
  }

  bool loads_stack_pointer(const Timeline::Item& item) {
    enum : uint8_t { kUnknown, kNo, kYes };
    const uint32_t value = item.execution.value;
    if (loads_.size() <= value) loads_.resize(value + 1, kUnknown);
    if (loads_[value] == kUnknown) {
      const BlockDef* def = walk_.dictionary().find(value);
      const bool does =
          def != nullptr && walk_.places().of(*def, item.execution.block).loads_stack_pointer;
      loads_[value] = does ? kYes : kNo;
    }
    return loads_[value] == kYes;
  }

  uint64_t& lowest(ThreadNo thread) {
    if (thread != recent_thread_ || recent_lowest_ == nullptr) {
      recent_lowest_ = &lowest_.try_emplace(thread.value, ~uint64_t{0}).first->second;
      recent_thread_ = thread;
    }
    return *recent_lowest_;
  }

  /// `top`: where the return address of the innermost frame is.
  void note_stack_pointer(const Timeline::Item& item, uint64_t top) {
    uint64_t& low = lowest(item.execution.thread);
    Machine& machine = walk_.regenerator().machine();
    const uint64_t sp = word_of({machine.state(), machine.state_size()}, reg::kRsp);
    const bool is_here = top != CallFrame::kUnknownSp && sp <= top && top - sp <= kFrameMost;
    // A load of the stack pointer can be a switch to another stack, unless it goes back up in this
    // one (as the loader does behind saving all registers).
    if (loads_stack_pointer(item) && !(is_here && low <= sp))
      low = ~uint64_t{0};
    else if (is_here)
      low = std::min(low, sp);
  }

  void accesses(std::span<const CallFrame> frames, uint32_t instructions) {
    Regenerator& regenerator = walk_.regenerator();
    Machine& machine = regenerator.machine();
    const Regenerator::Block& block = regenerator.block();
    const bool inside = is_allocator(frames);
    const auto take = [&](const DoneAccess& access) {
      if (access.is_store())
        out_.image_.store(access.address, access.bytes(), inside);
      else
        out_.image_.load(access.address, access.bytes());
    };
    for_each_access(machine, *block.executable->code, block.ops, take, instructions);
  }

  void event(const Timeline::Item& item) {
    const bool is_initial = item.event.kind == EventKind::kInitialStack;
    // A forked process tells first what it has got from its parent.
    const bool is_inherited = is_forked_ && item.blocks == 0;
    std::visit(Effects{[&](const MemoryEvent& e) { write(e, is_initial); },
                       [&](const MapEvent& e) {
                         if (!is_inherited) map(e, item);
                       },
                       [&](const Unmapped& e) { unmap(e); },
                       [&](const Protected& e) { protect(e); }, [&](const Moved& e) { move(e); },
                       [&](const Clobbered& e) { out_.image_.lose(e.address.value, e.length); },
                       [](const NoEffect&) {}},
               memory_effect(item.event));
  }

  void write(const MemoryEvent& e, bool is_initial) {
    out_.image_.store(e.address.value, e.bytes, runs_allocator({e.thread}));
    if (!is_initial) return;
    // In order, one behind the other.
    if (out_.initial_bytes_.empty()) out_.initial_begin_ = e.address.value;
    if (e.address.value == out_.initial_begin_ + out_.initial_bytes_.size())
      out_.initial_bytes_.insert(out_.initial_bytes_.end(), e.bytes.begin(), e.bytes.end());
  }

  void map(const MapEvent& e, const Timeline::Item& item) {
    const uint64_t start = e.address.value;
    if (!is_range(start, e.length)) return;
    cut(out_.mappings_, start, start + e.length);
    out_.image_.renew(start, e.length);
    if ((e.prot & TW_PROT_SHARED) != 0) out_.image_.distrust();
    if (last_map_ != item.blocks) ordinal_ = 0;
    last_map_ = item.blocks;
    const Mapping* known = walk_.maps().find(e.address, item.blocks);
    out_.mappings_[start] = {
        .start = start,
        .end = start + e.length,
        .base = start,
        .birth = {process_, item.blocks, item.thread, ordinal_++},
        .kind = e.kind,
        .prot = e.prot,
        .file = known == nullptr || e.path.empty() ? Mapping::kNoFile : known->file,
        .offset = e.offset,
        .by_allocator = runs_allocator(item.thread),
        .is_older = out_.image_.begins_late() && item.blocks == 0};
  }

  static bool is_range(uint64_t start, uint64_t length) {
    return length != 0 && length <= UINT64_MAX - start;
  }

  void unmap(const Unmapped& e) {
    const uint64_t start = e.address.value;
    if (!is_range(start, e.length)) return;
    cut(out_.mappings_, start, start + e.length);
    out_.image_.renew(start, e.length);
  }

  void protect(const Protected& e) {
    const uint64_t start = e.address.value;
    if (!is_range(start, e.length)) return;
    for (LiveMapping& part : cut(out_.mappings_, start, start + e.length)) {
      part.prot = e.prot | (part.prot & TW_PROT_SHARED);
      out_.mappings_[part.start] = part;
    }
  }

  void move(const Moved& e) {
    const uint64_t start = e.from.value;
    if (!is_range(start, e.length)) return;
    std::vector<LiveMapping> parts = cut(out_.mappings_, start, start + e.length);
    const uint64_t moved = e.to.value - start;
    if (moved != 0) {
      cut(out_.mappings_, e.to.value, e.to.value + e.length);
      out_.image_.move(start, e.to.value, e.length);
    }
    for (LiveMapping& part : parts) {
      part.start += moved;
      part.end += moved;
      part.base += moved;
      out_.mappings_[part.start] = part;
    }
  }

  struct Resized {
    uint64_t defined = 0;
    std::vector<bool> stored;
  };
  CallWalk& walk_;
  LiveMemory& out_;
  uint32_t process_;
  bool is_forked_;
  Stop stop_;
  bool has_stopped_ = false;
  StackAreas areas_;
  std::vector<std::string> names_;
  std::map<uint32_t, Resized> resized_;  // by thread
  std::map<uint32_t, uint64_t> lowest_;  // by thread: stack pointer since the last call or return
  uint64_t* recent_lowest_ = nullptr;
  ThreadNo recent_thread_;
  std::vector<uint8_t> loads_;  // by value of the stream: loads the stack pointer
  uint64_t last_map_ = ~uint64_t{0};
  uint32_t ordinal_ = 0;
};

std::map<uint32_t, LiveThread> LiveWalk::threads() {
  std::map<uint32_t, LiveThread> out;
  walk_.tracker().for_all_stacks([&](ThreadNo thread, std::span<const CallFrame>) {
    const ByteSpan registers = walk_.regenerator().registers(thread.value);
    if (!registers.empty())
      out[thread.value] = {word_of(registers, reg::kRsp), word_of(registers, reg::kFsConst)};
  });
  return out;
}

std::vector<LiveStack> LiveWalk::frames(const std::vector<LiveStack>& before) {
  std::vector<LiveStack> out;
  std::map<uint64_t, const LiveFrame*> of_parent;
  for (const LiveStack& stack : before)
    for (const LiveFrame& frame : stack.frames) of_parent[frame.frame.sp] = &frame;
  const std::vector<MappedFile>& files = walk_.maps().files();
  walk_.tracker().for_all_stacks([&](ThreadNo thread, std::span<const CallFrame> frames) {
    if (frames.empty()) return;
    if (!out.empty() && out.back().thread == thread) out.back().is_current = false;
    LiveStack& stack = out.emplace_back();
    stack.thread = thread;
    stack.kind = frames[0].kind;
    stack.is_current = true;
    const std::vector<const StackArea*> open = areas_.open(thread, StackArea::kNever - 1);
    for (const CallFrame& frame : frames) {
      LiveFrame& made = stack.frames.emplace_back();
      made.frame = frame;
      if (const BlockDef* caller = walk_.dictionary().find(frame.caller))
        made.site = frame.caller == 0 ? 0 : caller->last_instruction().value;
      if (stack.frames.size() > 1) stack.frames[stack.frames.size() - 2].pc = made.site;
      const auto old = of_parent.find(frame.sp);
      const bool has_old = frame.sp != CallFrame::kUnknownSp && old != of_parent.end();
      if (has_old && frame.is_inherited) made.areas = old->second->areas;
      for (const StackArea* const area : open | std::views::reverse)
        if (area->frame == frame.sp) made.areas.push_back(*area);
      const PlacedFunction& function = walk_.places().function(frame.function);
      if (frame.function != CodePlaces::kUnknown) {
        made.function = source_name(function);
        made.address = function.address;
        if (function.file != nullptr)
          made.file = static_cast<uint32_t>(function.file - files.data());
      } else if (has_old) {
        std::tie(made.file, made.function, made.address) =
            std::tie(old->second->file, old->second->function, old->second->address);
      }
    }
  });
  return out;
}

namespace {

/// What each frame owns: from its return address down to that of the frame it called.
void give_memory(std::vector<LiveStack>& stacks, const LiveMemory& memory,
                 const std::map<uint32_t, LiveThread>& threads) {
  for (size_t s = 0; s < stacks.size(); ++s) {
    LiveStack& stack = stacks[s];
    uint64_t lowest = 0;  // of the innermost frame; 0: not known
    if (stack.is_current) {
      const auto thread = threads.find(stack.thread.value);
      const uint64_t sp = thread == threads.end() ? 0 : thread->second.sp;
      // longjmp may have left frames, which shows at the next call only.
      while (stack.frames.size() > 1 && stack.frames.back().frame.sp < sp &&
             sp - stack.frames.back().frame.sp <= kFrameMost &&
             stack.frames.back().frame.sp != CallFrame::kUnknownSp)
        stack.frames.pop_back();
      const uint64_t top = stack.frames.back().frame.sp;
      if (sp != 0 && (top == CallFrame::kUnknownSp || (sp <= top && top - sp <= kFrameMost)))
        lowest = sp - kRedZone;
    } else if (s + 1 < stacks.size() && stacks[s + 1].kind == CallFrame::Kind::kSignal &&
               stacks[s + 1].thread == stack.thread) {
      LiveFrame& inner = stack.frames.back();
      const uint64_t handler = stacks[s + 1].frames[0].frame.sp;
      if (handler < inner.frame.sp && inner.frame.sp - handler <= kFrameMost)
        lowest = handler + 8;
      else if (const auto saved = memory.word(handler + 8 + kSavedSp);
               saved && *saved <= inner.frame.sp && inner.frame.sp - *saved <= kFrameMost)
        lowest = *saved - kRedZone;
      inner.pc = memory.word(handler + 8 + kSavedPc).value_or(0);
    }
    for (size_t i = stack.frames.size(); i-- > 0;) {
      LiveFrame& frame = stack.frames[i];
      // The first code of a process has no return address: its arguments are there.
      const bool is_first = i == 0 && frame.frame.kind == CallFrame::Kind::kStart;
      frame.end = frame.frame.sp == CallFrame::kUnknownSp ? 0
                  : is_first                              ? frame.frame.sp
                                                          : frame.frame.sp + 8;
      frame.begin = lowest != 0 && lowest < frame.end ? lowest : frame.end - (is_first ? 0 : 8);
      if (frame.end == 0) frame.begin = 0;
      lowest = frame.end;
    }
  }
}

}  // namespace

Result<std::unique_ptr<LiveMemory>> LiveMemory::at(Run& run, const Position& wanted,
                                                   const Options& options) {
  const Reader& reader = run.reader();
  std::vector<const Process*> line;
  for (const Process* p = reader.process(wanted.process.value); p != nullptr;
       p = reader.process(p->info.parent)) {
    line.push_back(p);
    if (p->info.origin != TW_ORIGIN_FORK) break;
  }
  const auto missing = [&] {
    return fail("T008", "process {} has no step {} of thread {}", wanted.process.value,
                wanted.step.value, wanted.thread.value);
  };
  if (line.empty()) return fail("T008", "there is no process {}", wanted.process.value);
  std::unique_ptr<LiveMemory> out(new LiveMemory(run));
  out->at_ = wanted;
  if (line.back()->info.origin == TW_ORIGIN_LATE) out->image_.begin_late();
  if (wanted.step.value == kLastStep) {
    const auto steps = line[0]->thread_steps.find(wanted.thread.value);
    if (steps == line[0]->thread_steps.end() || steps->second == 0) return missing();
    out->at_.step = {steps->second - 1};
  }
  for (size_t i = line.size(); i-- > 0;) {
    const uint32_t number = line[i]->info.number;
    LiveWalk* current = nullptr;
    CallWalk::Options walking{.values = true, .progress = options.progress};
    walking.taken = [&](const Timeline::Item& item) { return current->taken(item); };
    TRY(RunProcess* const opened, run.process(number));
    TRY(const auto walk, CallWalk::open(*opened, std::move(walking)));
    LiveWalk::Stop stop;
    if (i == 0)
      stop.at = out->at_;
    else
      stop.block = line[i - 1]->info.parent_block;
    LiveWalk listener(*walk, *out, number, options.allocators, stop);
    current = &listener;
    TRY_VOID(walk->run(listener));
    if (!listener.has_stopped() && i == 0) return missing();
    out->maps_ = walk->maps();
    // A parent whose recording ends at the fork has told its frames as left.
    if (i == 0 || listener.has_stopped()) {
      out->threads_ = listener.threads();
      out->stacks_ = listener.frames(out->stacks_);
    }
  }
  TRY(ProcessView* const view, view_of(run, wanted.process.value));
  TRY(const ProcessValues::Found there, view->values->find(out->at_.thread, out->at_.step));
  TRY(out->registers_, registers_before(*view, {there.block, there.instruction}));
  if (const auto sp = LiveState(*out, nullptr, true, 0).reg(7))
    out->threads_[out->at_.thread.value].sp = *sp;
  give_memory(out->stacks_, *out, out->threads_);
  TRY(const SegmentValues* segment, view->values->segment(there.block.segment));
  const BlockDef* def = view->values->dictionary().find(segment->value(there.block.ordinal));
  for (LiveStack& stack : out->stacks_) {
    if (stack.thread == out->at_.thread && stack.is_current && def != nullptr)
      stack.frames.back().pc = address_of(*def, there.instruction);
  }
  out->find_modules();
  return out;
}

void LiveMemory::find_modules() {
  constexpr uint64_t kPage = MemoryImage::kPage;
  std::map<uint32_t, uint32_t> instances;
  for (const auto& [start, mapping] : mappings_) {
    if (mapping.file == Mapping::kNoFile || mapping.offset != 0 || mapping.start != mapping.base ||
        !files()[mapping.file].executable)
      continue;
    LiveModule made{.file = mapping.file, .bias = start, .begin = start, .end = mapping.end};
    const ElfSymbols* symbols = run_.binaries().get(files()[mapping.file]).symbols.get();
    const auto extent = symbols == nullptr ? std::nullopt : symbols->extent();
    if (extent) {
      made.bias = start - symbols->address_of_offset(0).value_or(extent->begin / kPage * kPage);
      made.end = (made.bias + extent->end + kPage - 1) / kPage * kPage;
    }
    // Without the file, its mappings one behind the other are taken for it.
    for (auto next = std::next(mappings_.find(start)); !extent && next != mappings_.end(); ++next) {
      if (next->first != made.end || next->second.file != mapping.file) break;
      made.end = next->second.end;
    }
    if (!modules_.empty() && modules_.back().end > made.begin) continue;
    made.instance = instances[mapping.file]++;
    modules_.push_back(made);
  }
}

const LiveModule* LiveMemory::module(uint64_t address) const {
  const auto behind = std::ranges::upper_bound(modules_, address, {}, &LiveModule::begin);
  if (behind == modules_.begin()) return nullptr;
  const LiveModule& found = *std::prev(behind);
  return address < found.end ? &found : nullptr;
}

const LiveMapping* LiveMemory::mapping(uint64_t address) const {
  const auto behind = mappings_.upper_bound(address);
  if (behind == mappings_.begin()) return nullptr;
  const LiveMapping& found = std::prev(behind)->second;
  return address < found.end ? &found : nullptr;
}

bool LiveMemory::read_mapped(uint64_t address, std::span<uint8_t> out) const {
  const LiveMapping* there = mapping(address);
  // Others write to what is shared, unseen.
  if (there == nullptr || (there->prot & TW_PROT_SHARED) != 0 || address + out.size() > there->end)
    return false;
  if (there->is_older && (there->prot & TW_PROT_EXECUTE) == 0) return false;
  if (there->file == Mapping::kNoFile) {
    std::ranges::fill(out, uint8_t{0});
    return true;
  }
  const LiveModule* owner = module(address);
  const bool zero_behind = (there->prot & TW_PROT_WRITE) != 0 || owner != nullptr;
  return run_.binaries().read(files()[there->file], there->offset + (address - there->start),
                              zero_behind, out);
}

size_t LiveMemory::read(uint64_t address, std::span<uint8_t> out, std::vector<bool>* known) const {
  size_t count = 0;
  if (known != nullptr) known->assign(out.size(), false);
  for (size_t i = 0; i < out.size();) {
    const uint64_t at = address + i;
    const size_t part =
        std::min<size_t>(out.size() - i, MemoryImage::kPage - at % MemoryImage::kPage);
    const MemoryImage::Page* page = image_.page(at / MemoryImage::kPage);
    for (size_t k = 0; k < part;) {
      // Bytes that have not been stored are read together.
      size_t end = k;
      while (end < part && (page == nullptr || (!MemoryImage::bit(page->known, at + end) &&
                                                !MemoryImage::bit(page->lost, at + end))))
        ++end;
      if (end > k) {
        if (read_mapped(at + k, out.subspan(i + k, end - k))) {
          count += end - k;
          for (size_t j = k; known != nullptr && j < end; ++j) (*known)[i + j] = true;
        }
        k = end;
        continue;
      }
      if (MemoryImage::bit(page->known, at + k)) {
        out[i + k] = page->bytes[(at + k) % MemoryImage::kPage];
        if (known != nullptr) (*known)[i + k] = true;
        ++count;
      }
      ++k;
    }
    i += part;
  }
  return count;
}

std::optional<uint64_t> LiveMemory::word(uint64_t address) const {
  uint64_t out = 0;
  if (read(address, {reinterpret_cast<uint8_t*>(&out), 8}) != 8) return std::nullopt;
  return out;
}

std::optional<uint64_t> LiveState::reg(unsigned dwarf_number) const {
  // DWARF's rsp, of a frame that has called: what it will be when the call has returned.
  if (!is_innermost_) {
    if (dwarf_number != dwarf::kRsp || frame_ == nullptr) return std::nullopt;
    return frame_->begin;
  }
  const auto offset = register_of_dwarf(dwarf_number);
  if (!offset || !memory_.registers().knows(*offset, 8)) return std::nullopt;
  return word_of(memory_.registers().bytes, *offset);
}

std::optional<uint64_t> LiveState::call_frame_address() const {
  if (frame_ == nullptr || frame_->end == 0) return std::nullopt;
  return frame_->end;
}

}  // namespace twinrun
