// SPDX-License-Identifier: MIT
#include "align/diff_stat.h"

#include "align/pairs.h"
#include "counts/profile.h"
#include "run/code_places.h"
#include "trace/initial_stack.h"
#include "values/access_walk.h"
#include "values/source_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace twinrun {
namespace {

using Key = std::pair<std::string, ModuleAddr>;  // module and address

Key key_of(const PlacedFunction& function) {
  return {function.file == nullptr ? "" : function.file->path, function.address};
}

constexpr uint64_t kProgressSteps = 1 << 22;

/// Compares the values of corresponding accesses of one pair of threads.
class ValueCompare {
 public:
  ValueCompare(ProcessView& a, ProcessView& b, std::map<Key, FunctionDifference>& functions)
      : a_(a), b_(b), functions_(functions), places_(a.of.places()) {}

  /// What the stack protector uses; 0: not known.
  void set_guards(uint64_t a, uint64_t b) {
    guard_a_ = a;
    guard_b_ = b;
  }

  struct Found {
    Key function;
    ThreadAccess a;
    ThreadAccess b;
  };

  /// `progress` takes steps of the first run.
  Result<void> threads(const ThreadAlignment& pair, const std::function<void(uint64_t)>& progress) {
    AccessWalk walk_a(a_, pair.a.thread);
    AccessWalk walk_b(b_, pair.b.thread);
    uint64_t told = 0;
    for (const AlignedRegion& region : pair.regions) {
      if (!region.is_aligned) continue;
      ThreadAccess a;
      ThreadAccess b;
      TRY(bool has_a, walk_a.next(region.a.from, region.a.to, a));
      TRY(bool has_b, walk_b.next(region.b.from, region.b.to, b));
      while (has_a && has_b) {
        const uint64_t at_a = a.step - region.a.from;
        const uint64_t at_b = b.step - region.b.from;
        // A conditional access can happen in one run only.
        if (at_a == at_b) compare(a, b, pair);
        if (at_a <= at_b) {
          TRY(has_a, walk_a.next(region.a.from, region.a.to, a));
        }
        if (at_b <= at_a) {
          TRY(has_b, walk_b.next(region.b.from, region.b.to, b));
        }
        if (a.step >= told + kProgressSteps) progress(told = a.step);
      }
    }
    return {};
  }

  /// The first different store of each function, or load.
  [[nodiscard]] const std::map<Key, Found>& found() const { return found_; }

 private:
  void compare(const ThreadAccess& a, const ThreadAccess& b, const ThreadAlignment&) {
    FunctionDifference* row = function_of(a);
    if (row == nullptr) return;
    ++row->accesses;
    if (a.value == b.value || (a.value == guard_a_ && b.value == guard_b_)) return;
    ++row->different;
    const auto [it, is_new] = found_.try_emplace(Key{row->module, row->address}, Found{});
    if (is_new || (a.is_store && !it->second.a.is_store)) it->second = {it->first, a, b};
  }

  FunctionDifference* function_of(const ThreadAccess& access) {
    if (by_value_.size() <= access.block_value) by_value_.resize(access.block_value + 1);
    auto& slot = by_value_[access.block_value];
    if (slot) return *slot;
    const BlockDef* def = a_.values->dictionary().find(access.block_value);
    const CodePlaces::OfBlock& place = places_.of(*def, a_.number_of(access.block));
    const auto found = functions_.find(key_of(places_.function(place.function)));
    slot = found == functions_.end() ? nullptr : &found->second;
    return *slot;
  }

  ProcessView& a_;
  ProcessView& b_;
  std::map<Key, FunctionDifference>& functions_;
  CodePlaces& places_;
  std::vector<std::optional<FunctionDifference*>> by_value_;
  std::map<Key, Found> found_;
  uint64_t guard_a_ = 0;
  uint64_t guard_b_ = 0;
};

Result<std::string> name_of(ProcessView& view, const ThreadAccess& access, std::string& value) {
  if (access.is_store) {
    TRY(const SourceName name, SourceNames::of_written(view, {access.block, access.instruction},
                                                       true, access.address, access.size));
    if (!name.value.empty()) value = name.value;
    if (!name.text.empty()) return name.text;
  }
  return fmt::format("[{:#x}:{}]", access.address, access.size);
}

Result<ValueDifference> describe(ProcessView& view_a, ProcessView& view_b,
                                 const ThreadAlignment& pair, const ValueCompare::Found& found) {
  ValueDifference out;
  out.a = {pair.a.process, pair.a.thread, {found.a.step}};
  out.b = {pair.b.process, pair.b.thread, {found.b.step}};
  out.value_a = fmt::format("{:#x}", found.a.value);
  out.value_b = fmt::format("{:#x}", found.b.value);
  TRY(out.name, name_of(view_a, found.a, out.value_a));
  TRY_VOID(name_of(view_b, found.b, out.value_b));
  const BlockDef* def = view_a.values->dictionary().find(found.a.block_value);
  const ResolvedAddress place = view_a.symbolizer.resolve_line(
      {address_of(*def, found.a.instruction)}, view_a.number_of(found.a.block));
  out.file = place.file;
  out.line = place.line;
  return out;
}

Result<void> add_process(Run& run, uint32_t number, bool is_a,
                         std::map<Key, FunctionDifference>& functions) {
  TRY(const auto process, run.borrow(number));
  const Dictionary& dictionary = process->dictionary();
  TRY(const BlockProfile* const counts, process->facet<BlockProfile>());
  CodePlaces& places = process->places();
  const auto row_of = [&](const BlockDef& def, uint64_t block) -> FunctionDifference& {
    const PlacedFunction& function = places.function(places.of(def, block).function);
    FunctionDifference& row = functions[key_of(function)];
    std::tie(row.module, row.address) = key_of(function);
    row.function = source_name(function);
    return row;
  };
  for (const BlockDef& def : dictionary.blocks()) {
    for (uint32_t value = def.id.value; value < def.id.value + def.variants; ++value) {
      const BlockProfile::Entry& entry = counts->by_value[value];
      if (entry.whole + entry.arrivals == 0) continue;
      FunctionDifference& row = row_of(def, entry.first_block);
      (is_a ? row.instructions_a : row.instructions_b) +=
          entry.whole * dictionary.counts().data()[value].count;
      if (places.of(def, entry.first_block).is_entry)
        (is_a ? row.calls_a : row.calls_b) += entry.whole;
    }
  }
  for (const auto& [partial, times] : counts->partial) {
    const BlockDef* def = dictionary.find(partial.first);
    if (def == nullptr) continue;
    FunctionDifference& row = row_of(*def, counts->by_value[partial.first].first_block);
    (is_a ? row.instructions_a : row.instructions_b) += times * partial.second;
  }
  return {};
}

Result<void> add_profiles(const RunPair& runs, const AlignReport& alignment,
                          std::map<Key, FunctionDifference>& functions) {
  std::set<uint32_t> in_a;
  std::set<uint32_t> in_b;
  for (const ThreadAlignment& thread : alignment.threads) {
    in_a.insert(thread.a.process.value);
    in_b.insert(thread.b.process.value);
  }
  for (const uint32_t number : in_a)
    if (number != 0) {
      TRY_VOID(add_process(runs.a(), number, true, functions));
    }
  for (const uint32_t number : in_b)
    if (number != 0) {
      TRY_VOID(add_process(runs.b(), number, false, functions));
    }
  return {};
}

/// The C library makes it from the kernel's random bytes, with a zero byte in front.
Result<uint64_t> stack_guard(const Reader& reader, uint32_t process) {
  TRY(const InitialStack stack, initial_stack(reader, process));
  return stack.random & ~uint64_t{0xff};
}

uint64_t weight(const FunctionDifference& row) {
  const uint64_t a = row.instructions_a;
  const uint64_t b = row.instructions_b;
  return row.only_a + row.only_b + row.different + (a > b ? a - b : b - a);
}

}  // namespace

Result<DiffStat> diff_stat(RunPair& runs, const DiffOptions& options) {
  DiffStat out;
  TRY(const AlignReport* const alignment,
      runs.align(options.divergences, options.work, RunPair::Places::kYes));
  out.alignment = *alignment;
  std::map<Key, FunctionDifference> functions;
  TRY_VOID(add_profiles(runs, out.alignment, functions));
  for (const DivergencePlace& place : out.alignment.places) {
    // The function that holds the place begins at or in front of it.
    auto it = functions.upper_bound({place.at.module, place.at.address});
    if (it == functions.begin()) continue;
    --it;
    if (it->first.first != place.at.module) continue;
    it->second.divergences += place.count;
    it->second.only_a += place.only_a;
    it->second.only_b += place.only_b;
  }
  out.has_values = options.values && runs.have_values().has_value();
  if (out.has_values) {
    Run& run_a = runs.a();
    Run& run_b = runs.b();
    uint32_t left = options.examples;
    uint64_t compared = 0;
    const uint64_t all = run_a.reader().instructions();
    tell(options.work, kComparingValues, 0);
    for (const ThreadAlignment& pair : out.alignment.threads) {
      if (pair.a.thread.value == 0 || pair.b.thread.value == 0 || !pair.note.empty()) continue;
      TRY(ProcessView* const view_a, view_of(run_a, pair.a.process.value));
      TRY(ProcessView* const view_b, view_of(run_b, pair.b.process.value));
      ValueCompare compare(*view_a, *view_b, functions);
      TRY(const uint64_t guard_a, stack_guard(run_a.reader(), pair.a.process.value));
      TRY(const uint64_t guard_b, stack_guard(run_b.reader(), pair.b.process.value));
      compare.set_guards(guard_a, guard_b);
      TRY_VOID(compare.threads(pair, [&](uint64_t steps) {
        tell(options.work, kComparingValues, share_of(compared + steps, all));
      }));
      compared += pair.steps_a;
      for (const auto& [key, found] : compare.found()) {
        FunctionDifference& row = functions.at(key);
        if (row.first || left == 0) continue;
        --left;
        // What cannot be named is counted nevertheless.
        if (auto named = describe(*view_a, *view_b, pair, found)) row.first = std::move(*named);
      }
    }
  }
  std::string program;
  if (!out.alignment.threads.empty()) {
    const uint32_t number = out.alignment.threads[0].a.process.value;
    if (number != 0) {
      TRY(const auto process, runs.a().borrow(number));
      program = process->program().path;
    }
  }
  for (auto& [key, row] : functions) {
    row.is_library = row.module != program;
    if (row.is_same())
      ++out.same;
    else
      out.functions.push_back(std::move(row));
  }
  std::ranges::stable_sort(out.functions,
                           [](const FunctionDifference& x, const FunctionDifference& y) {
                             if (x.is_library != y.is_library) return y.is_library;
                             return weight(x) > weight(y);
                           });
  return out;
}

}  // namespace twinrun
