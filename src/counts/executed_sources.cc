// SPDX-License-Identifier: MIT
#include "counts/executed_sources.h"

#include "counts/profile.h"

#include <cstdint>
#include <ranges>
#include <utility>

namespace twinrun {
namespace {

class Sources {
 public:
  void add(RunProcess& process, const BlockDef& block, uint64_t first_block) {
    const ModuleAddress at = process.module_address(block.address, first_block);
    if (at.file == nullptr || !at.is_in_elf) return;
    DebugInfo* debug = process.binaries().debug_info(*at.file);
    if (debug == nullptr) return;
    std::set<std::string>& files = is_system_file(at.file->path) ? out.system : out.own;
    uint64_t address = at.address.value;
    for (const uint8_t length : block.lengths) {
      // Blocks overlap, and processes share code.
      if (seen_.insert({debug, address}).second)
        for (const SourceFrame& frame : debug->frames_at(address))
          if (!frame.file.empty() && !is_system_source(frame.file)) files.insert(frame.file);
      address += length;
    }
  }

  ExecutedSources out;

 private:
  std::set<std::pair<const DebugInfo*, uint64_t>> seen_;
};

}  // namespace

Result<ExecutedSources> executed_sources(Run& run) {
  Sources sources;
  for (const uint32_t number : std::views::keys(run.reader().processes())) {
    TRY(const auto process, run.borrow(number));
    TRY(const BlockProfile* const profile, process->facet<BlockProfile>());
    for (const BlockDef& block : process->dictionary().blocks())
      for (uint32_t variant = 0; variant < block.variants; ++variant) {
        const BlockProfile::Entry& entry = profile->by_value[block.id.value + variant];
        if (entry.whole == 0) continue;
        sources.add(*process, block, entry.first_block);
        break;
      }
  }
  ExecutedSources& out = sources.out;
  for (const std::string& file : out.own) out.system.erase(file);
  return std::move(out);
}

}  // namespace twinrun
