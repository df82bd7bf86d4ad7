// SPDX-License-Identifier: MIT
#include "counts/flow.h"

#include "counts/profile.h"
#include "trace/maps.h"
#include "trace/timeline.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <set>

namespace twinrun {
namespace {

// Two stream values one after the other in a thread.
struct Pair {
  uint64_t count = 0;
  uint64_t first_block = 0;  // number of the second one at its first time
};
using Pairs = boost::unordered_flat_map<uint64_t, Pair>;

Result<Pairs> count_pairs(const Reader& reader, const Dictionary& dictionary,
                          const Process& process) {
  Pairs out;
  std::map<uint32_t, uint32_t> last;  // by thread; 0: none
  Timeline timeline(reader, dictionary, process);
  Timeline::Item item;
  for (;;) {
    TRY(const bool more, timeline.next(item));
    if (!more) return out;
    if (item.is_event) {
      if (item.event.kind == EventKind::kSignal)
        if (const auto signal = SignalEvent::parse(item.event)) last[signal->thread] = 0;
      continue;
    }
    const Execution& e = item.execution;
    uint32_t& before = last[e.thread.value];
    if (before != 0) {
      Pair& pair = out[uint64_t{before} << 32 | e.value];
      if (pair.count++ == 0) pair.first_block = e.block;
    }
    before = e.partial ? 0 : e.value;
  }
}

// The instruction at which a block is left that way.
uint64_t left_at(const BlockDef& block, uint32_t variant) {
  uint64_t at = block.address.value;
  for (uint32_t i = 0; i + 1 < block.begun(variant) && i + 1 < block.instructions(); ++i)
    at += block.lengths[i];
  return at;
}

class Collector {
 public:
  Collector(Symbolizer& symbolizer, const std::string& path)
      : symbolizer_(symbolizer), path_(path) {}

  /// The address in the module; kElsewhere for others.
  uint64_t address(uint64_t memory, uint64_t block) {
    const ResolvedAddress place = symbolizer_.resolve({memory}, block);
    if (place.module != path_) return ObservedEdge::kElsewhere;
    return path_.empty() ? memory : place.module_offset;
  }

 private:
  Symbolizer& symbolizer_;
  const std::string& path_;
};

Result<void> add_process(Run& run, uint32_t number, const std::string& path,
                         std::map<ObservedEdge, uint64_t>& edges, CodeImage& code) {
  TRY(const auto borrowed, run.borrow(number));
  const Dictionary& dictionary = borrowed->dictionary();
  TRY(const Pairs pairs, count_pairs(run.reader(), dictionary, borrowed->process()));
  Collector collector(borrowed->symbolizer(), path);
  std::set<uint32_t> seen;
  for (const auto& [values, pair] : pairs) {
    const auto before = static_cast<uint32_t>(values >> 32);
    const auto after = static_cast<uint32_t>(values);
    const BlockDef* from = dictionary.find(before);
    const BlockDef* to = dictionary.find(after);
    if (from == nullptr || to == nullptr) continue;
    const ObservedEdge edge{
        collector.address(left_at(*from, before - from->id.value), pair.first_block),
        collector.address(to->address.value, pair.first_block)};
    if (edge.from == ObservedEdge::kElsewhere && edge.to == ObservedEdge::kElsewhere) continue;
    edges[edge] += pair.count;
  }
  TRY(const BlockProfile* const counts, borrowed->facet<BlockProfile>());
  for (const BlockDef& block : dictionary.blocks()) {
    const BlockProfile::Entry& entry = counts->by_value[block.id.value];
    const uint64_t at = collector.address(block.address.value, entry.first_block);
    if (at != ObservedEdge::kElsewhere)
      code.add({at, Bytes(block.bytes.begin(), block.bytes.end()), true, false});
  }
  return {};
}

}  // namespace

Result<ExecutedFlow> executed_flow(Run& run, const std::vector<uint32_t>& processes,
                                   const std::string& path) {
  ExecutedFlow out;
  std::map<ObservedEdge, uint64_t> edges;
  for (const uint32_t number : processes) TRY_VOID(add_process(run, number, path, edges, out.code));
  for (const auto& [edge, count] : edges) out.edges.push_back({edge, count});
  TRY(const Profile counts, profile(run, processes));
  for (const InstructionCount& row : counts.instructions)
    if (row.module == path) out.instructions[row.address.value] += row.count;
  return out;
}

ModuleFlow module_flow(Binaries& binaries, const MappedFile& file, const ExecutedFlow& executed) {
  ModuleFlow out;
  std::vector<ObservedEdge> observed;
  observed.reserve(executed.edges.size());
  for (const CountedEdge& counted : executed.edges) observed.push_back(counted.edge);
  const auto code = binaries.module(file);
  out.from_file = code.has_value();
  if (code) {
    out.flow = (*code)->flow({called_addresses((*code)->image(), observed), std::move(observed)});
    return out;
  }
  out.note = code.error().message;
  const CodeImage& bytes = executed.code;
  out.flow = ControlFlow::build(
      bytes, FunctionTable::make(bytes, nullptr, {}, called_addresses(bytes, observed)), {},
      observed);
  return out;
}

}  // namespace twinrun
