// SPDX-License-Identifier: MIT
// paths extract RECORDING OUT: writes the control flow traces of a recording as words of 32 bits, a
//   file OUT.PROCESS.THREAD.STACK each.
// paths measure TRACE...: builds and reads the archive of such files, and the WPP.
// paths ask TRACE...: builds the index of paths, and asks it for paths of 1 to 16 blocks: half of
// them
//   as they were executed at random moments, the others with one block changed.
#include "run/paths/path_archive_builder.h"
#include "run/paths/path_archive_reader.h"
#include "run/paths/path_finder.h"
#include "run/paths/path_gram_builder.h"
#include "run/paths/path_view.h"
#include "run/paths/scheme1.h"
#include "run/paths/sequitur.h"
#include "run/process_code.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

int complain(const Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.code.c_str(), error.message.c_str());
  return 2;
}

/// CPU time of this thread: other work on the machine does not count.
class Clock {
 public:
  [[nodiscard]] double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  double start_ = now();
};

int extract(const char* recording, const std::string& out) {
  const auto reader = Reader::open(recording);
  if (!reader) return complain(reader.error());
  Binaries binaries(**reader);
  for (const auto& [number, process] : (*reader)->processes()) {
    const Clock clock;
    auto code = ProcessCode::open(**reader, binaries, number);
    if (!code) return complain(code.error());
    CodeModel model;
    if (const auto added = model.add((*code)->code); !added) return complain(added.error());
    PathFunctions functions(model);
    PathView view(model, (*code)->code, functions, {});
    std::map<PathStreamKey, PathTrace> traces;
    const auto done = view.run([&](const PathStreamKey& key, const PathTold& told) {
      PathTrace& trace = traces[key];
      trace.insert(trace.end(), told.events.begin(), told.events.end());
    });
    if (!done) return complain(done.error());
    for (const auto& [key, trace] : traces) {
      const std::string name = out + "." + std::to_string(number) + "." +
                               std::to_string(key.thread.value) + "." + std::to_string(key.stack);
      std::printf("%s: %zu events, %u functions, %.1f s%s\n", name.c_str(), trace.size(),
                  functions.size(), clock.seconds(),
                  is_well_formed(trace) ? "" : ", NOT WELL FORMED");
      std::FILE* file = std::fopen(name.c_str(), "wb");
      if (file == nullptr) return 2;
      std::fwrite(trace.data(), sizeof(PathEvent), trace.size(), file);
      std::fclose(file);
    }
  }
  return 0;
}

PathTrace load(const char* name) {
  std::FILE* file = std::fopen(name, "rb");
  if (file == nullptr) return {};
  std::fseek(file, 0, SEEK_END);
  PathTrace trace(static_cast<size_t>(std::ftell(file)) / sizeof(PathEvent), PathEvent::exit());
  std::rewind(file);
  if (std::fread(trace.data(), sizeof(PathEvent), trace.size(), file) != trace.size())
    trace.clear();
  std::fclose(file);
  return trace;
}

Bytes archive_of(const PathTrace& trace, int level, const char* what) {
  Bytes bytes;
  const Clock clock;
  PathArchiveBuilder builder({.level = level}, [&](ByteSpan part) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  });
  builder.take(trace);
  builder.flush();
  const double seconds = clock.seconds();
  std::printf(
      "  %s: %zu bytes, %.1f M events/s, %zu segments, %zu pieces, %lu chunks, pending %zu\n", what,
      bytes.size(), static_cast<double>(trace.size()) / seconds / 1e6, builder.segments(),
      builder.pieces(), builder.chunks(), builder.pending_peak());
  return bytes;
}

void show_sections(ByteSpan bytes) {
  uint64_t raw[path_archive::kSections] = {};
  uint64_t coded[path_archive::kSections] = {};
  for (size_t at = sizeof(path_archive::FileHeader); at < bytes.size();) {
    path_archive::ChunkHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    at += sizeof header;
    for (size_t s = 0; s < path_archive::kSections; ++s) {
      raw[s] += header.raw_bytes[s];
      coded[s] += header.coded_bytes[s];
      at += header.coded_bytes[s];
    }
  }
  const char* const names[] = {"segments", "pieces", "words", "counts", "codes", "new"};
  for (size_t s = 0; s < path_archive::kSections; ++s)
    std::printf("    %s %lu -> %lu\n", names[s], raw[s], coded[s]);
}

int measure(const char* name) {
  const PathTrace trace = load(name);
  std::printf("%s: %zu events\n", name, trace.size());
  const Bytes fast = archive_of(trace, 6, "fast");
  show_sections(fast);
  const Bytes small = archive_of(trace, 19, "small");
  show_sections(small);
  {
    const Clock clock;
    auto reader = PathArchiveReader::open(fast);
    if (!reader) return complain(reader.error());
    uint64_t at = 0;
    bool same = true;
    for (;;) {
      const auto more = reader->next_chunk([&](PathTraceView part) {
        same = same && std::memcmp(part.data(), trace.data() + at, part.size_bytes()) == 0;
        at += part.size();
      });
      if (!more) return complain(more.error());
      if (!*more) break;
    }
    std::printf("  decode: %.1f M events/s%s\n",
                static_cast<double>(trace.size()) / clock.seconds() / 1e6,
                same && at == trace.size() ? "" : ", DIFFERENT");
  }
  {
    const Clock clock;
    const PathAnswer answer =
        match_scheme1(trace, {trace[0].function(), {0, 1}}, PathWanted::kCount);
    std::printf("  scheme 1: %.1f M events/s (%lu)\n",
                static_cast<double>(trace.size()) / clock.seconds() / 1e6, answer.count);
  }
  {
    const Clock clock;
    Sequitur sequitur;
    for (const PathEvent event : trace) sequitur.append(event);
    const double seconds = clock.seconds();
    const Grammar grammar = sequitur.grammar();
    std::printf("  sequitur: %u rules, %lu symbols, %zu bytes, %.2f M events/s\n", grammar.rules(),
                grammar.symbols(), grammar.encode(19).size(),
                static_cast<double>(trace.size()) / seconds / 1e6);
  }
  return 0;
}

/// Paths that begin at random moments.
std::vector<PathQuery> some_paths(const PathTrace& trace, size_t count) {
  std::mt19937_64 random(1);
  std::vector<size_t> moments(count);
  for (size_t& moment : moments) moment = random() % trace.size();
  std::ranges::sort(moments);
  std::vector<PathQuery> out;
  std::vector<uint32_t> functions;
  size_t next = 0;
  for (size_t i = 0; i < trace.size() && next < count; ++i) {
    if (trace[i].is_entry()) functions.push_back(trace[i].function());
    if (trace[i].is_exit()) functions.pop_back();
    for (; next < count && moments[next] == i; ++next) {
      if (!trace[i].is_block()) continue;
      PathQuery query{functions.back(), {}};
      const size_t length = 1 + random() % 16;
      int64_t depth = 0;
      for (size_t k = i; k < trace.size() && depth >= 0 && query.blocks.size() < length; ++k) {
        if (trace[k].is_block() && depth == 0) query.blocks.push_back(trace[k].block());
        depth += trace[k].is_entry() ? 1 : trace[k].is_exit() ? -1 : 0;
      }
      if (random() % 2 == 0) {
        uint32_t& changed = query.blocks[random() % query.blocks.size()];
        changed = static_cast<uint32_t>((changed + 1 + random() % 5) % PathEvent::kMostBlocks);
      }
      out.push_back(std::move(query));
    }
  }
  return out;
}

int ask(const char* name) {
  const PathTrace trace = load(name);
  const Clock building;
  PathGramBuilder builder;
  builder.take(trace);
  PathGrams grams = builder.finish();
  std::printf("%s: %zu events, grams: %.1f M events/s\n", name, trace.size(),
              static_cast<double>(trace.size()) / building.seconds() / 1e6);
  // As large as the archive, and a tenth of the trace in memory.
  const Bytes archive = archive_of(trace, 6, "archive");
  {
    const Clock fitting;
    const Bytes file =
        encode_index_within(std::move(grams), archive.size(), trace.size() * 4 / 10, 12);
    const double fitted = fitting.seconds();
    const Clock loading;
    auto index = PathIndex::decode(file);
    if (!index) return complain(index.error());
    std::printf(
        "  index: %zu bytes, fitted in %.2f s, loaded in %.1f ms, memory %.2f%% of the trace\n",
        file.size(), fitted, loading.seconds() * 1e3,
        100.0 * static_cast<double>(index->memory()) / static_cast<double>(trace.size() * 4));
    std::vector<double> times;
    size_t unknown = 0;
    size_t absent = 0;
    size_t wrong = 0;
    size_t compared = 0;
    double scanning = 0;
    const std::vector<PathQuery> queries = some_paths(trace, 20000);
    for (const PathQuery& query : queries) {
      const Clock clock;
      const auto answer = index->find(query);
      times.push_back(clock.seconds() * 1e6);
      unknown += answer ? 0 : 1;
      absent += answer && answer->count == 0 ? 1 : 0;
      if (compared >= 40 || times.size() % 450 != 0) continue;
      ++compared;
      const Clock scan;
      const PathAnswer all = match_scheme1(trace, query, PathWanted::kAll);
      scanning += scan.seconds();
      if (answer && (answer->count != all.count || answer->first != all.first ||
                     (all.count > 0 && answer->last != all.all.back())))
        ++wrong;
    }
    std::ranges::sort(times);
    std::printf(
        "    %zu paths, %zu absent, %zu not known; median %.2f us, p99 %.1f us, most %.1f us",
        queries.size(), absent, unknown, times[times.size() / 2], times[times.size() * 99 / 100],
        times.back());
    if (compared > 0)
      std::printf("; a scan %.1f ms, %zu of %zu different",
                  scanning / static_cast<double>(compared) * 1e3, wrong, compared);
    std::printf("\n");
    PathFinder finder(archive, std::move(*index));
    uint64_t positions = 0;
    uint64_t asked = 0;
    const Clock enumerating;
    for (size_t i = 0; i < queries.size() && enumerating.seconds() < 5; i += 997) {
      const auto all = finder.all(queries[i]);
      if (!all) return complain(all.error());
      positions += all->size();
      asked += all->empty() ? 0 : 1;
    }
    std::printf("    all occurrences: %.2f M/s, %lu of %lu paths\n",
                static_cast<double>(positions) / enumerating.seconds() / 1e6, positions, asked);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "extract") == 0) return extract(argv[2], argv[3]);
  if (argc < 3) return 2;
  const bool measures = std::strcmp(argv[1], "measure") == 0;
  if (!measures && std::strcmp(argv[1], "ask") != 0) return 2;
  for (int i = 2; i < argc; ++i)
    if (const int failed = measures ? measure(argv[i]) : ask(argv[i]); failed != 0) return failed;
  return 0;
}
