// SPDX-License-Identifier: MIT
// The index of a trace's paths, and its answers for paths that were executed at random moments.
#include "paths/path_finder.h"
#include "paths/path_gram_builder.h"
#include "paths/path_index_groups.h"
#include "paths/schemes/scheme1.h"
#include "paths_bench.h"

#include <algorithm>
#include <cstdio>

namespace twinrun::paths_bench {
namespace {

constexpr size_t kMostWalks = 60;
constexpr size_t kCompared = 20;
constexpr size_t kEnumerated = 40;
constexpr double kEnumerating = 20;  // seconds

bool agrees(const PathCount& found, const PathAnswer& right) {
  return found.count == right.count && found.first == right.first &&
         (right.count == 0 || found.last == right.all.back());
}

/// Every question's time in seconds. Those that the index leaves open take a walk over the archive:
/// some are walked for, and the others get the times of these in turn.
struct Asked {
  std::vector<double> times;
  size_t open = 0;
  size_t absent = 0;
};

Result<Asked> ask_all(PathFinder& finder, const std::vector<PathQuery>& queries) {
  Asked out;
  std::vector<size_t> open;
  for (size_t i = 0; i < queries.size(); ++i) {
    const Clock clock;
    const auto answer = finder.index().find(queries[i]);
    out.times.push_back(clock.seconds());
    if (!answer) open.push_back(i);
    out.absent += answer && answer->count == 0 ? 1 : 0;
  }
  out.open = open.size();
  const size_t walks = std::min(kMostWalks, open.size());
  std::vector<double> walked;
  for (size_t k = 0; k < walks; ++k) {
    const Clock clock;
    TRY_VOID(finder.find(queries[open[k * open.size() / walks]]));
    walked.push_back(clock.seconds());
  }
  for (size_t k = 0; k < open.size(); ++k) out.times[open[k]] = walked[k % walks];
  if (!walked.empty()) {
    std::ranges::sort(walked);
    show("walk", walked[walked.size() / 2]);
  }
  std::ranges::sort(out.times);
  return out;
}

}  // namespace

int build_index(const std::string& trace, const std::string& archive, const std::string& out) {
  const size_t archive_bytes = load_bytes(archive).size();
  PathGramBuilder builder;
  const uint64_t events = stream_trace(trace, [&](PathTraceView part) { builder.take(part); });
  PathGrams grams = builder.finish();
  // As large as the archive, and a tenth of the trace in memory.
  Bytes file;
  show("fit", least_seconds(1, [&] {
         file = encode_index_within(std::move(grams), archive_bytes, events * 4 / 10, 12);
       }));
  store_bytes(out, file);
  show("bytes", static_cast<double>(file.size()));
  size_t memory = 0;
  show("load", least_seconds(5, [&] {
         const auto index = PathIndex::decode(file);
         memory = index ? index->memory() : 0;
       }));
  show("memory", static_cast<double>(memory));
  return memory == 0 ? 2 : 0;
}

int ask_index(const std::string& trace_name, const std::string& archive_name,
              const std::string& index_name, size_t paths) {
  const Bytes archive = load_bytes(archive_name);
  auto index = PathIndex::decode(load_bytes(index_name));
  if (!index) return complain(index.error());
  PathFinder finder(archive, std::move(*index));
  const PathTrace trace = load_trace(trace_name);
  const std::vector<PathQuery> queries = some_paths(trace, paths);

  const auto asked = ask_all(finder, queries);
  if (!asked) return complain(asked.error());
  show("paths", static_cast<double>(queries.size()));
  show("absent", static_cast<double>(asked->absent));
  show("open", static_cast<double>(asked->open));
  show("median", asked->times[asked->times.size() / 2]);
  show("p99", asked->times[asked->times.size() * 99 / 100]);
  show("most", asked->times.back());

  double scanning = 0;
  for (size_t k = 0; k < kCompared; ++k) {
    const PathQuery& query = queries[k * queries.size() / kCompared];
    const Clock clock;
    const PathAnswer right = match_scheme1(trace, query, PathWanted::kCount);
    scanning += clock.seconds();
    const auto found = finder.find(query);
    if (!found) return complain(found.error());
    if (agrees(*found, match_scheme1(trace, query, PathWanted::kAll)) &&
        found->count == right.count)
      continue;
    std::fprintf(stderr, "a scan finds other occurrences of path %zu\n", k);
    return 1;
  }
  show("scan", scanning / kCompared);

  uint64_t positions = 0;
  uint64_t enumerated = 0;
  double seconds = 0;
  std::vector<double> rates;
  for (size_t k = 0; k < kEnumerated && seconds < kEnumerating; ++k) {
    // In an order that does not follow the trace, if time runs out.
    const size_t number = (k * 2 + 1) * 0x9e3779b1u % queries.size();
    const Clock clock;
    const auto all = finder.all(queries[number]);
    const double took = clock.seconds();
    if (!all) return complain(all.error());
    if (all->empty()) continue;
    seconds += took;
    positions += all->size();
    ++enumerated;
    rates.push_back(static_cast<double>(all->size()) / took);
  }
  std::ranges::sort(rates);
  show("times_memory", static_cast<double>(finder.times_memory()));
  show("enumerated", static_cast<double>(enumerated));
  show("positions", static_cast<double>(positions));
  show("positions_speed", static_cast<double>(positions) / seconds);
  if (!rates.empty()) show("positions_median", rates[rates.size() / 2]);
  return 0;
}

}  // namespace twinrun::paths_bench
