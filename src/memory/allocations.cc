// SPDX-License-Identifier: MIT
#include "memory/allocations.h"

#include "memory/allocation_listener.h"
#include "memory/memory_history.h"
#include "memory/stack_areas.h"
#include "trace/event_effects.h"
#include "values/values.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace twinrun {
namespace {

constexpr unsigned kMostArguments = 6;  // in registers
constexpr size_t kBadFreesMost = 64;    // a program that goes on after so many has its own free()

}  // namespace

std::vector<AllocatorRule> standard_allocators() {
  using Kind = AllocatorRule::Kind;
  constexpr uint8_t kNone = AllocatorRule::kNone;
  return {
      {"malloc", Kind::kAllocate, 0, kNone, 0},
      {"calloc", Kind::kAllocate, 1, 0, 0},
      {"realloc", Kind::kResize, 1, kNone, 0},
      {"reallocarray", Kind::kResize, 2, 1, 0},
      {"free", Kind::kFree, kNone, kNone, 0},
      {"cfree", Kind::kFree, kNone, kNone, 0},
      {"memalign", Kind::kAllocate, 1, kNone, 0},
      {"aligned_alloc", Kind::kAllocate, 1, kNone, 0},
      {"posix_memalign", Kind::kStore, 2, kNone, 0},
      {"valloc", Kind::kAllocate, 0, kNone, 0},
      {"pvalloc", Kind::kAllocate, 0, kNone, 0},
      // operator new(unsigned long, ...), new[], delete(void*, ...), delete[].
      {"_Znwm*", Kind::kAllocate, 0, kNone, 0},
      {"_Znam*", Kind::kAllocate, 0, kNone, 0},
      {"_ZdlPv*", Kind::kFree, kNone, kNone, 0},
      {"_ZdaPv*", Kind::kFree, kNone, kNone, 0},
  };
}

Result<std::vector<AllocatorRule>> parse_allocator(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return std::unexpected(Error{"C003",
                                 fmt::format("--allocator {}: {}", text, why),
                                 "write NAME, NAME:SIZE, NAME:SIZE:FREE or NAME:SIZE:FREE:POINTER",
                                 {}});
  };
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  const auto number = [](const std::string& part) -> std::optional<uint8_t> {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || value > kMostArguments)
      return std::nullopt;
    return static_cast<uint8_t>(value);
  };
  if (parts.size() > 4 || parts[0].empty()) return bad("it has too many parts, or no name");
  AllocatorRule made{parts[0], AllocatorRule::Kind::kAllocate, 0, AllocatorRule::kNone, 0};
  if (parts.size() > 1) {
    const auto size = number(parts[1]);
    if (!size) return bad("the number of the size argument is 1 to 6, or 0 for none");
    made.size = *size == 0 ? AllocatorRule::kNone : static_cast<uint8_t>(*size - 1);
  }
  std::vector<AllocatorRule> out{std::move(made)};
  if (parts.size() > 2) {
    AllocatorRule frees{parts[2], AllocatorRule::Kind::kFree, AllocatorRule::kNone,
                        AllocatorRule::kNone, 0};
    if (parts.size() > 3) {
      const auto pointer = number(parts[3]);
      if (!pointer || *pointer == 0) return bad("the number of the address argument is 1 to 6");
      frees.pointer = static_cast<uint8_t>(*pointer - 1);
    }
    out.push_back(std::move(frees));
  }
  return out;
}

void AllocationLog::add(Allocation made) {
  made.from = std::exchange(resized_, Allocation::kNoBlock);
  // What was there has ended without a call that was seen.
  if (const auto old = live_.find(made.address); old != live_.end()) {
    all_[old->second].is_replaced = true;
    free(made.address, made);
  }
  live_[made.address] = static_cast<uint32_t>(all_.size());
  live_bytes_ += made.size;
  most_bytes_ = std::max(most_bytes_, live_bytes_);
  all_.push_back(made);
}

void AllocationLog::free(uint64_t address, const Allocation& end) {
  const auto found = live_.find(address);
  if (found == live_.end()) {
    ++unknown_frees_;
    return;
  }
  Allocation& made = all_[found->second];
  made.freed_by = end.thread;
  made.freed = end.step;
  made.freed_block = end.block;
  made.freed_site = end.site;
  made.freed_from = end.from_step;
  made.freed_argument = end.argument;
  live_bytes_ -= made.size;
  freed_[address] = found->second;
  live_.erase(found);
}

void AllocationLog::resize(uint64_t address) {
  const auto found = live_.find(address);
  resized_ = found == live_.end() ? Allocation::kNoBlock : found->second;
}

void AllocationLog::check_free(const BadFree& call) {
  if (call.address == 0 || live_.contains(call.address) || bad_frees_.size() == kBadFreesMost)
    return;
  BadFree bad = call;
  if (const auto freed = freed_.find(call.address); freed != freed_.end())
    bad.freed = freed->second;
  if (auto below = live_.upper_bound(call.address); below != live_.begin()) {
    --below;
    if (call.address - below->first < all_[below->second].size) bad.inside = below->second;
  }
  bad_frees_.push_back(bad);
}

uint32_t AllocationLog::add_allocator(std::string name) {
  names_.push_back(std::move(name));
  return static_cast<uint32_t>(names_.size() - 1);
}

AllocationLog AllocationLog::of(Parts parts) {
  AllocationLog out;
  out.all_ = std::move(parts.all);
  out.names_ = std::move(parts.names);
  out.bad_frees_ = std::move(parts.bad_frees);
  out.unknown_frees_ = parts.unknown_frees;
  out.most_bytes_ = parts.most_bytes;
  out.uses_usable_size_ = parts.uses_usable_size;
  out.finish();
  return out;
}

void AllocationLog::finish() {
  by_address_.resize(all_.size());
  for (uint32_t i = 0; i < by_address_.size(); ++i) by_address_[i] = i;
  std::ranges::stable_sort(by_address_, {}, [&](uint32_t i) { return all_[i].address; });
  reach_.reserve(by_address_.size());
  by_birth_ = by_address_;
  std::ranges::sort(by_birth_, {}, [&](uint32_t i) {
    return std::tuple(all_[i].thread.value, all_[i].step.value, i);
  });
  uint64_t reach = 0;
  for (const uint32_t i : by_address_) {
    reach = std::max(reach, all_[i].address + all_[i].size);
    reach_.push_back(reach);
  }
  freed_.clear();
}

const Allocation* AllocationLog::containing(uint64_t address, uint64_t block) const {
  const auto behind = std::ranges::upper_bound(by_address_, address, {},
                                               [&](uint32_t i) { return all_[i].address; });
  for (auto end = behind; end != by_address_.begin();) {
    if (reach_[static_cast<size_t>(end - by_address_.begin()) - 1] <= address) break;
    // Those of one address follow each other in time, and only the last of them can be live.
    const uint64_t start = all_[*std::prev(end)].address;
    const auto first = std::ranges::lower_bound(by_address_.begin(), end, start, {},
                                                [&](uint32_t i) { return all_[i].address; });
    const auto later =
        std::ranges::upper_bound(first, end, block, {}, [&](uint32_t i) { return all_[i].block; });
    if (later != first) {
      const Allocation& made = all_[*std::prev(later)];
      if (address - made.address < made.size && made.lives_at(block)) return &made;
    }
    end = first;
  }
  return nullptr;
}

const Allocation* AllocationLog::latest(uint64_t address, uint64_t block) const {
  const auto behind = std::ranges::upper_bound(by_address_, address, {},
                                               [&](uint32_t i) { return all_[i].address; });
  const Allocation* out = nullptr;
  for (auto at = static_cast<size_t>(behind - by_address_.begin()); at-- > 0;) {
    if (reach_[at] <= address) break;
    const Allocation& made = all_[by_address_[at]];
    if (address - made.address >= made.size || made.block > block) continue;
    if (out == nullptr || made.block > out->block) out = &made;
  }
  return out;
}

const Allocation* AllocationLog::returned(uint64_t address, uint64_t within, uint64_t until) const {
  // Those of one address follow each other in time.
  const auto behind = std::ranges::upper_bound(
      by_address_, std::pair(address, within), {},
      [&](uint32_t i) { return std::pair(all_[i].address, all_[i].called); });
  if (behind == by_address_.begin()) return nullptr;
  const Allocation& made = all_[*std::prev(behind)];
  return made.address == address && within < made.block && made.block <= until ? &made : nullptr;
}

const Allocation* AllocationLog::born(ThreadNo thread, Step step) const {
  const std::pair wanted(thread.value, step.value);
  const auto found = std::ranges::lower_bound(by_birth_, wanted, {}, [&](uint32_t i) {
    return std::pair(all_[i].thread.value, all_[i].step.value);
  });
  if (found == by_birth_.end()) return nullptr;
  const Allocation& made = all_[*found];
  return made.thread == thread && made.step == step ? &made : nullptr;
}

const Allocation& AllocationLog::grown(const Allocation& one, uint64_t block) const {
  const Allocation* out = &one;
  while (out->freed_block <= block) {
    const Allocation* next = returned(out->address, out->freed_block - 1, block);
    if (next == nullptr || next == out || next->from != number_of(*out)) break;
    out = next;
  }
  return *out;
}

namespace {

class LogListener : public AllocationListener {
 public:
  LogListener(CallWalk& walk, const AllocationLog::Options& options, AllocationLog& log)
      : AllocationListener(walk, options.more), walk_(walk), log_(log), areas_(options.areas) {}

  void left(ThreadNo thread, CallFrame& frame, FrameEnd how, Step step) override {
    AllocationListener::left(thread, frame, how, step);
    if (areas_ != nullptr) areas_->left(thread, frame, walk_.blocks() + 1);
  }

 private:
  void begins(const AllocatorRule& rule, uint64_t pointer, const Allocation& call) override {
    if (rule.kind != AllocatorRule::Kind::kFree && rule.kind != AllocatorRule::Kind::kResize)
      return;
    if (!is_custom(rule))
      log_.check_free({.address = pointer,
                       .site = call.site,
                       .thread = call.thread,
                       .step = call.step,
                       .block = call.called,
                       .resizes = rule.kind == AllocatorRule::Kind::kResize});
  }
  void asked_usable_size() override { log_.asked_usable_size(); }
  void resized(uint64_t address) override { log_.resize(address); }
  void made(const Allocation& made, const AllocatorRule& /*rule*/) override { log_.add(made); }
  void freed(uint64_t address, const Allocation& end, const AllocatorRule& /*rule*/) override {
    log_.free(address, end);
  }
  uint32_t add_allocator(std::string name) override { return log_.add_allocator(std::move(name)); }

  CallWalk& walk_;
  AllocationLog& log_;
  StackAreas* areas_;
};

/// A mapping is a block that the kernel allocated for the thread that runs.
void note_mapping(const Timeline::Item& item, AllocationLog& log) {
  const Allocation now{.thread = item.thread, .step = item.step, .block = item.blocks};
  std::visit(Effects{[&](const MapEvent& map) {
                       if (!map.path.empty()) return;
                       Allocation made = now;
                       made.address = map.address.value;
                       made.size = map.length;
                       log.add(made);
                     },
                     [&](const Unmapped& range) { log.free(range.address.value, now); },
                     [](const auto& /*unchanged*/) {}},
             memory_effect(item.event));
}

}  // namespace

Result<AllocationLog> AllocationLog::build(RunProcess& process, const Options& options) {
  CallWalk::Options walking{.values = true, .memory = false, .progress = options.progress};
  CallWalk* told = nullptr;
  std::optional<ProcessValues::Surveyor> surveyor;
  if (options.surveyed != nullptr) {
    surveyor.emplace(*options.surveyed);
    walking.code = &options.surveyed->code();
  }
  if (surveyor || options.areas != nullptr)
    walking.computed = [&](Regenerator& regenerator) {
      if (surveyor) surveyor->take(told->segment(), regenerator);
      if (options.areas != nullptr)
        options.areas->take(regenerator, told->step(), told->dictionary(), told->tracker());
    };
  if (surveyor || options.mapped != nullptr)
    walking.event = [&](const Timeline::Item& item) {
      if (options.mapped != nullptr) note_mapping(item, *options.mapped);
      if (surveyor) surveyor->take(told->segment(), item.event);
    };
  TRY(const auto walk, CallWalk::open(process, std::move(walking)));
  told = walk.get();
  AllocationLog out;
  LogListener listener(*walk, options, out);
  TRY_VOID(walk->run(listener));
  out.finish();
  if (options.mapped != nullptr) options.mapped->finish();
  return out;
}

Result<AllocationReport> allocations(Run& run, const AllocationOptions& options) {
  const Reader& reader = run.reader();
  if (options.process && reader.process(options.process->value) == nullptr)
    return fail("T008", "there is no process {}", options.process->value);
  AllocationReport out;
  uint64_t before = 0;
  std::map<std::pair<std::string, std::string>, uint32_t> numbers;  // of sites
  for (const auto& [number, process] : reader.processes()) {
    if (options.process && options.process->value != number) continue;
    AllocationLog::Options building{.more = options.more, .progress = {}};
    if (options.progress)
      building.progress = [&](uint64_t done) { options.progress(before + done); };
    TRY(const auto borrowed, run.borrow(number));
    TRY(const auto held, kept_or_built_log(*borrowed, building));
    const AllocationLog& log = *held;
    Symbolizer& symbolizer = borrowed->symbolizer();
    std::map<std::pair<uint64_t, uint32_t>, uint32_t> known;
    for (const Allocation& made : log.all()) {
      const auto [found, is_new] = known.try_emplace({made.site, made.allocator});
      if (is_new) {
        const ResolvedAddress place = symbolizer.resolve_line({made.site}, made.block);
        const std::string& allocator = log.allocator(made.allocator);
        // The same place in several processes is one.
        const auto [site, is_first] = numbers.try_emplace(
            {allocator, fmt::format("{}+{:#x}", place.module, place.module_offset)},
            static_cast<uint32_t>(out.sites.size()));
        found->second = site->second;
        if (is_first) {
          PlacedFunction caller;
          caller.name = place.function;
          out.sites.push_back({allocator, source_name(caller), std::string(place.module_name()),
                               std::string(place.file), place.line, place.module_offset});
        }
      }
      AllocationReport::Site& site = out.sites[found->second];
      ++site.count;
      site.bytes += made.size;
      if (made.is_live_at_end()) {
        ++site.live;
        site.live_bytes += made.size;
      }
      out.rows.push_back({number, made, found->second});
    }
    out.unknown_frees += log.unknown_frees();
    out.most_bytes = std::max(out.most_bytes, log.most_bytes());
    before += process.instructions;
  }
  for (const AllocationReport::Site& site : out.sites) {
    out.count += site.count;
    out.bytes += site.bytes;
    out.live += site.live;
    out.live_bytes += site.live_bytes;
  }
  std::vector<uint32_t> order(out.sites.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater(), [&](uint32_t i) { return out.sites[i].bytes; });
  std::vector<uint32_t> place(order.size());
  std::vector<AllocationReport::Site> sorted;
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(out.sites[order[i]]));
  }
  out.sites = std::move(sorted);
  for (AllocationReport::Row& row : out.rows) row.site = place[row.site];
  return out;
}

}  // namespace twinrun
