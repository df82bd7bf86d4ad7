// SPDX-License-Identifier: MIT
#include "counts/executed_lines.h"

#include "counts/block_ways.h"
#include "counts/profile.h"

#include <algorithm>
#include <ranges>
#include <tuple>

namespace twinrun {
namespace {

/// Counts instructions of one process.
class LineCounts {
 public:
  /// By file, line and address, so that one instruction of several blocks is added up.
  using Counts = std::map<std::tuple<std::string, uint32_t, uint64_t>, uint64_t>;

  LineCounts(Symbolizer& symbolizer, const std::set<std::string>& modules,
             const std::set<std::string>& files, Counts& out)
      : symbolizer_(symbolizer), modules_(modules), files_(files), out_(out) {}

  void add(const BlockDef& block, uint32_t instructions, uint64_t times, uint64_t first_block) {
    Addr address = block.address;
    for (uint32_t i = 0; i < instructions && i < block.lengths.size(); ++i) {
      const ResolvedAddress where = symbolizer_.resolve(address, first_block);
      if (!modules_.contains(std::string(where.module_name()))) return;
      const ResolvedAddress place = symbolizer_.resolve_line(address, first_block);
      if (place.line != 0 && files_.contains(std::string(place.file)))
        out_[{std::string(place.file), place.line, place.module_offset}] += times;
      address.value += block.lengths[i];
    }
  }

 private:
  Symbolizer& symbolizer_;
  const std::set<std::string>& modules_;
  const std::set<std::string>& files_;
  Counts& out_;
};

}  // namespace

Result<ExecutedLines> executed_lines(Run& run, const std::set<std::string>& modules,
                                     const std::set<std::string>& files) {
  ExecutedLines out;
  LineCounts::Counts counts;
  for (const uint32_t number : std::views::keys(run.reader().processes())) {
    TRY(const auto borrowed, run.borrow(number));
    const Dictionary& dictionary = borrowed->dictionary();
    TRY(const BlockProfile* const profile, borrowed->facet<BlockProfile>());
    Symbolizer& symbolizer = borrowed->symbolizer();
    LineCounts lines(symbolizer, modules, files, counts);
    for (const BlockDef& block : dictionary.blocks()) {
      for (uint32_t variant = 0; variant < block.variants; ++variant) {
        const BlockProfile::Entry& entry = profile->by_value[block.id.value + variant];
        if (entry.whole > 0) lines.add(block, block.begun(variant), entry.whole, entry.first_block);
      }
    }
    for (const auto& [what, times] : profile->partial) {
      if (const BlockDef* block = dictionary.find(what.first))
        lines.add(*block, what.second, times, profile->by_value[what.first].first_block);
    }
    TRY(const BlockWays* const ways, borrowed->facet<BlockWays>());
    for (const BlockWay& way : ways->rows) {
      const uint64_t at = profile->by_value[way.from].first_block;
      const ResolvedAddress branch =
          symbolizer.resolve(dictionary.find(way.from)->last_instruction(), at);
      const ResolvedAddress to = symbolizer.resolve(dictionary.find(way.to)->address, at);
      if (!modules.contains(std::string(branch.module_name())) || branch.module != to.module)
        continue;
      const ResolvedAddress line =
          symbolizer.resolve_line(dictionary.find(way.from)->last_instruction(), at);
      if (line.line != 0 && files.contains(std::string(line.file)))
        out[std::string(line.file)][line.line].ways[branch.module_offset].insert(to.module_offset);
    }
  }
  for (const auto& [where, times] : counts) {
    const auto& [file, line, address] = where;
    uint64_t& most = out[file][line].times;
    most = std::max(most, times);
  }
  return out;
}

}  // namespace twinrun
