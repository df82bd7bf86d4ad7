// SPDX-License-Identifier: MIT
#include "counts/profile.h"

#include "trace/count.h"
#include "trace/maps.h"

#include <algorithm>
#include <tuple>

namespace twinrun {
namespace {

// Adds up what an instruction was executed, by module and address.
class Sum {
 public:
  void add(const ResolvedAddress& place, Addr address, uint64_t count) {
    const ModuleAddr where{place.module.empty() ? address.value : place.module_offset};
    auto& row = rows_[{std::string(place.module), where}];
    row.count += count;
    if (row.function.empty() && !place.function.empty()) {
      row.function = place.function;
      row.function_address = place.function_address;
    }
  }

  Profile finish() const {
    Profile out;
    std::map<std::tuple<std::string, ModuleAddr, std::string>, FunctionCount> functions;
    for (const auto& [where, row] : rows_) {
      const auto& [module, address] = where;
      out.instructions.push_back({module, row.function, address, row.count});
      FunctionCount& f = functions[{module, row.function_address, row.function}];
      f.module = module;
      f.function = row.function;
      f.address = row.function_address;
      f.instructions += row.count;
      if (!row.function.empty() && address == row.function_address) f.calls = row.count;
    }
    for (auto& [key, function] : functions) out.functions.push_back(std::move(function));
    std::stable_sort(out.functions.begin(), out.functions.end(),
                     [](const FunctionCount& a, const FunctionCount& b) {
                       return a.instructions > b.instructions;
                     });
    return out;
  }

 private:
  struct Row {
    uint64_t count = 0;
    std::string function;
    ModuleAddr function_address;
  };
  std::map<std::pair<std::string, ModuleAddr>, Row> rows_;
};

void add_block(const BlockDef& block, uint32_t instructions, uint64_t times, uint64_t first_block,
               Symbolizer& symbolizer, Sum& sum) {
  Addr address = block.address;
  for (uint32_t i = 0; i < instructions && i < block.instructions(); ++i) {
    sum.add(symbolizer.resolve(address, first_block), address, times);
    address.value += block.lengths[i];
  }
}

}  // namespace

Result<BlockProfile> block_profile(const Reader& reader, const Process& process,
                                   const Dictionary& dictionary) {
  BlockProfile out;
  const CountTable& table = dictionary.counts();
  out.by_value.resize(table.size());
  std::map<uint32_t, uint32_t> last_values;  // by thread
  for (const uint32_t frame : process.segments) {
    const TwSegmentHeader& header = reader.frames()[frame].segment;
    TRY(const SegmentData data,
        reader.load(frame, stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS)));
    TRY(const SegmentRuns runs,
        segment_runs(data.events(), header.block_count, header.thread_at_start));
    auto partial = runs.partial.begin();
    for (const ThreadRun& run : runs.runs) {
      uint32_t& last = last_values[run.thread];
      for (uint32_t i = run.first; i < run.first + run.count; ++i) {
        const uint32_t value = block_at(data.blocks(), i);
        if (!table.defined(value)) return fail("T006", "block {} is not defined", value);
        BlockProfile::Entry& entry = out.by_value[value];
        if (entry.whole + entry.arrivals == 0) entry.first_block = header.first_block + i;
        while (partial != runs.partial.end() && partial->ordinal < i) ++partial;
        if (partial != runs.partial.end() && partial->ordinal == i) {
          ++out.partial[{value, partial->completed}];
          last = 0;
          continue;
        }
        const CountTable::Entry special = table.data()[value];
        if (special.special != 0 && last != 0 && is_last_arrival(table.data()[last], special))
          ++entry.arrivals;
        else
          ++entry.whole;
        last = value;
      }
    }
  }
  return out;
}

Result<std::unique_ptr<BlockProfile>> BlockProfile::make(RunProcess& process) {
  TRY(BlockProfile counted,
      block_profile(process.reader(), process.process(), process.dictionary()));
  return std::make_unique<BlockProfile>(std::move(counted));
}

Result<Profile> profile(Run& run, const std::vector<uint32_t>& processes) {
  const Reader& reader = run.reader();
  Sum sum;
  for (const uint32_t number : processes) {
    const Process* process = reader.process(number);
    if (process == nullptr) return fail("T008", "there is no process {}", number);
    TRY(const auto borrowed, run.borrow(number));
    const Dictionary& dictionary = borrowed->dictionary();
    TRY(const BlockProfile* const counts, borrowed->facet<BlockProfile>());
    Symbolizer& symbolizer = borrowed->symbolizer();
    for (const BlockDef& block : dictionary.blocks()) {
      for (uint32_t variant = 0; variant < block.variants; ++variant) {
        const BlockProfile::Entry& entry = counts->by_value[block.id.value + variant];
        if (entry.whole > 0)
          add_block(block, block.begun(variant), entry.whole, entry.first_block, symbolizer, sum);
      }
    }
    for (const auto& [what, times] : counts->partial) {
      const BlockDef* block = dictionary.find(what.first);
      add_block(*block, what.second, times, counts->by_value[what.first].first_block, symbolizer,
                sum);
    }
  }
  return sum.finish();
}

}  // namespace twinrun
