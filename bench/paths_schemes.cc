// SPDX-License-Identifier: MIT
// Figures 12 and 13 of the paper: chunks of three sizes, and three types of paths under the four
// schemes and the index. A path's type is the share of the chunks of 4 MB that have to do with its
// function: one chunk, half of them, or as many as any function has. An absent path is that of type
// 3 with another last block.
#include "paths/chunk_index.h"
#include "paths/path_finder.h"
#include "paths/schemes/scheme1.h"
#include "paths/schemes/scheme2.h"
#include "paths/schemes/scheme3.h"
#include "paths/schemes/scheme4.h"
#include "paths_bench.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace twinrun::paths_bench {
namespace {

constexpr size_t kPathBlocks = 4;
constexpr uint32_t kChunkEvents = 1u << 20;  // 4 MB

struct Use {
  uint64_t blocks = 0;
  size_t chunks = 0;
  size_t last_chunk = ~size_t{0};
};

/// By function.
std::vector<Use> uses_of(const PathTrace& trace) {
  std::vector<Use> uses;
  std::vector<uint32_t> functions;
  for (size_t i = 0; i < trace.size(); ++i) {
    if (trace[i].is_exit()) {
      functions.pop_back();
      continue;
    }
    if (trace[i].is_entry()) functions.push_back(trace[i].function());
    const uint32_t function = functions.back();
    if (function >= uses.size()) uses.resize(function + 1);
    Use& use = uses[function];
    use.blocks += trace[i].is_block() ? 1 : 0;
    if (use.last_chunk == i / kChunkEvents) continue;
    use.last_chunk = i / kChunkEvents;
    ++use.chunks;
  }
  return uses;
}

/// The path of the function's invocation in the middle of its blocks.
PathQuery path_in(const PathTrace& trace, uint32_t function, uint64_t blocks) {
  std::vector<uint32_t> functions;
  uint64_t met = 0;
  for (size_t i = 0; i < trace.size(); ++i) {
    if (trace[i].is_exit()) functions.pop_back();
    if (trace[i].is_entry()) functions.push_back(trace[i].function());
    if (!trace[i].is_block() || functions.back() != function || met++ < blocks / 2) continue;
    PathQuery query{function, {}};
    int64_t depth = 0;
    for (size_t k = i; k < trace.size() && depth >= 0 && query.blocks.size() < kPathBlocks; ++k) {
      if (trace[k].is_block() && depth == 0) query.blocks.push_back(trace[k].block());
      depth += trace[k].is_entry() ? 1 : trace[k].is_exit() ? -1 : 0;
    }
    return query;
  }
  std::abort();
}

/// The function whose number of chunks is nearest; of several the one with the most blocks.
PathQuery path_of_coverage(const PathTrace& trace, const std::vector<Use>& uses, size_t chunks) {
  uint32_t best = 0;
  const auto distance = [&](const Use& use) {
    return use.chunks > chunks ? use.chunks - chunks : chunks - use.chunks;
  };
  for (uint32_t f = 1; f < uses.size(); ++f) {
    if (uses[f].blocks == 0) continue;
    const size_t here = distance(uses[f]);
    const size_t there = uses[best].blocks == 0 ? ~size_t{0} : distance(uses[best]);
    if (here < there || (here == there && uses[f].blocks > uses[best].blocks)) best = f;
  }
  return path_in(trace, best, uses[best].blocks);
}

PathQuery absent_path(const PathTrace& trace, PathQuery query) {
  for (;;) {
    ++query.blocks.back();
    if (match_scheme1(trace, query, PathWanted::kFirst).count == 0) return query;
  }
}

class Matcher {
 public:
  Matcher(const PathTrace& trace, const Grammar& wpp, PathFinder& finder, int rounds)
      : trace_(trace), wpp_(wpp), chunked_wpp_(wpp), finder_(finder), rounds_(rounds) {
    for (const uint32_t megabytes : {80u, 40u, 4u}) {
      ChunkedTrace::Options options{.chunk_events = megabytes << 18};
      chunked_.push_back({megabytes, chunked(options)});
    }
    kept_ = chunked({.chunk_events = kChunkEvents, .keep = true});
  }

  void sizes() {
    for (const auto& [megabytes, chunks] : chunked_) {
      show("chunked." + std::to_string(megabytes), static_cast<double>(chunks.bytes()));
      ChunkIndex index;
      for (size_t i = 0; i < trace_.size(); ++i) {
        index.take(trace_[i]);
        if ((i + 1) % (size_t{megabytes} << 18) == 0) index.end_chunk();
      }
      index.end_chunk();
      show("chunk_index." + std::to_string(megabytes), static_cast<double>(index.bytes()));
    }
    show("wpp_index", static_cast<double>(chunked_wpp_.index().bytes()));
    const ChunkedTrace whole = chunked({.chunk_events = ~0u});
    show("whole", static_cast<double>(whole.bytes()));
    show("decompress", least_seconds(rounds_, [&] {
           if (!whole.expand()) std::abort();
         }));
  }

  /// False when two ways disagree.
  bool match(const std::string& name, const PathQuery& query) {
    bool same = true;
    const PathAnswer right = match_scheme1(trace_, query, PathWanted::kAll);
    show(name + ".occurrences", static_cast<double>(right.count));
    for (const PathWanted wanted : {PathWanted::kFirst, PathWanted::kCount}) {
      const bool is_first = wanted == PathWanted::kFirst;
      const std::string what = is_first ? ".first" : ".count";
      const auto take = [&](const std::string& scheme, auto&& find) {
        PathAnswer answer;
        const double seconds = least_seconds(rounds_, [&] { answer = find(); });
        same = same && (is_first ? answer.first == right.first : answer.count == right.count);
        const std::string key = name + "." + scheme + what;
        show(key, seconds);
        show(key + ".terminals", static_cast<double>(answer.stats.terminals_expanded));
        show(key + ".rules", static_cast<double>(answer.stats.rules_visited));
        show(key + ".chunks", static_cast<double>(answer.stats.chunks_opened));
      };
      take("1", [&] { return match_scheme1(trace_, query, wanted); });
      take("2", [&] { return match_scheme2(wpp_, query, wanted); });
      for (auto& [megabytes, chunks] : chunked_)
        take("3-" + std::to_string(megabytes), [&] { return chunks.match(query, wanted).value(); });
      if (!kept_.match(query, PathWanted::kCount)) return false;
      take("3-kept", [&] { return kept_.match(query, wanted).value(); });
      take("4", [&] { return chunked_wpp_.match(query, wanted); });
      take("index", [&] {
        const PathCount found = finder_.find(query).value();
        return PathAnswer{
            .count = found.count, .first = found.first, .all = {}, .stats = finder_.stats()};
      });
    }
    return same;
  }

 private:
  ChunkedTrace chunked(ChunkedTrace::Options options) {
    ChunkedTrace out(options);
    for (const PathEvent event : trace_) out.append(event);
    out.finish();
    return out;
  }

  const PathTrace& trace_;
  const Grammar& wpp_;
  ChunkedWpp chunked_wpp_;
  PathFinder& finder_;
  int rounds_;
  std::vector<std::pair<uint32_t, ChunkedTrace>> chunked_;
  ChunkedTrace kept_;
};

}  // namespace

int match_schemes(const std::string& trace_name, const std::string& wpp_name,
                  const std::string& archive_name, const std::string& index_name, int rounds) {
  const PathTrace trace = load_trace(trace_name);
  const auto wpp = Grammar::decode(load_bytes(wpp_name));
  if (!wpp) return complain(wpp.error());
  const Bytes archive = load_bytes(archive_name);
  auto index = PathIndex::decode(load_bytes(index_name));
  if (!index) return complain(index.error());
  PathFinder finder(archive, std::move(*index));

  const std::vector<Use> uses = uses_of(trace);
  const size_t chunks = (trace.size() + kChunkEvents - 1) / kChunkEvents;
  show("chunks", static_cast<double>(chunks));
  const PathQuery often = path_of_coverage(trace, uses, chunks);
  const std::pair<const char*, PathQuery> paths[] = {
      {"1", path_of_coverage(trace, uses, 1)},
      {"2", path_of_coverage(trace, uses, (chunks + 1) / 2)},
      {"3", often},
      {"absent", absent_path(trace, often)},
  };
  Matcher matcher(trace, *wpp, finder, rounds);
  matcher.sizes();
  for (const auto& [name, query] : paths) {
    show(std::string(name) + ".coverage", static_cast<double>(uses[query.function].chunks));
    if (matcher.match(name, query)) continue;
    std::fprintf(stderr, "the schemes disagree about path %s\n", name);
    return 1;
  }
  return 0;
}

}  // namespace twinrun::paths_bench
