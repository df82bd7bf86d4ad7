// SPDX-License-Identifier: MIT
// Speed, sizes and memory of what is made of a trace. Events come in parts, and only what takes
// them is timed.
#include "paths/chunk_index.h"
#include "paths/path_archive_builder.h"
#include "paths/path_archive_reader.h"
#include "paths/path_gram_builder.h"
#include "paths/schemes/sequitur.h"
#include "paths_bench.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

namespace twinrun::paths_bench {
namespace {

class Speed {
 public:
  /// The work of one round.
  void add(uint64_t events, double seconds) {
    best_ = std::max(best_, static_cast<double>(events) / seconds);
  }
  [[nodiscard]] double best() const { return best_; }

 private:
  double best_ = 0;
};

void show_sections(ByteSpan bytes) {
  uint64_t coded[path_archive::kSections] = {};
  for (size_t at = sizeof(path_archive::FileHeader); at < bytes.size();) {
    path_archive::ChunkHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    at += sizeof header;
    for (size_t s = 0; s < path_archive::kSections; ++s) {
      coded[s] += header.coded_bytes[s];
      at += header.coded_bytes[s];
    }
  }
  for (size_t s = 0; s < path_archive::kSections; ++s)
    show("section" + std::to_string(s), static_cast<double>(coded[s]));
}

}  // namespace

int build_archive(const std::string& trace, int level, int rounds, const std::string& out) {
  Speed speed;
  Bytes bytes;
  for (int round = 0; round < rounds; ++round) {
    bytes.clear();
    PathArchiveBuilder builder({.level = level}, [&](ByteSpan part) {
      bytes.insert(bytes.end(), part.begin(), part.end());
    });
    double seconds = 0;
    const uint64_t events = stream_trace(trace, [&](PathTraceView part) {
      const Clock clock;
      builder.take(part);
      seconds += clock.seconds();
    });
    const Clock clock;
    builder.flush();
    speed.add(events, seconds + clock.seconds());
    if (round > 0) continue;
    show("memory", peak_memory());
    show("events", static_cast<double>(events));
    show("segments", static_cast<double>(builder.segments()));
    show("pieces", static_cast<double>(builder.pieces()));
    show("chunks", static_cast<double>(builder.chunks()));
    show("pending", static_cast<double>(builder.pending_peak()));
  }
  show("speed", speed.best());
  show("bytes", static_cast<double>(bytes.size()));
  show_sections(bytes);
  store_bytes(out, bytes);
  return 0;
}

int build_grams(const std::string& trace, int rounds) {
  Speed speed;
  for (int round = 0; round < rounds; ++round) {
    PathGramBuilder builder;
    double seconds = 0;
    const uint64_t events = stream_trace(trace, [&](PathTraceView part) {
      const Clock clock;
      builder.take(part);
      seconds += clock.seconds();
    });
    const Clock clock;
    const PathGrams grams = builder.finish();
    speed.add(events, seconds + clock.seconds());
    if (round == 0) show("memory", peak_memory());
    if (round == 0) show("grams", static_cast<double>(grams.grams.size()));
  }
  show("speed", speed.best());
  return 0;
}

int build_both(const std::string& trace, int level, int rounds) {
  Speed speed;
  for (int round = 0; round < rounds; ++round) {
    PathGramBuilder grams;
    PathArchiveBuilder archive({.level = level}, [](ByteSpan) {});
    double seconds = 0;
    const uint64_t events = stream_trace(trace, [&](PathTraceView part) {
      const Clock clock;
      archive.take(part);
      grams.take(part);
      seconds += clock.seconds();
    });
    const Clock clock;
    archive.flush();
    const PathGrams finished = grams.finish();
    speed.add(events, seconds + clock.seconds());
    if (round == 0) show("memory", peak_memory());
  }
  show("speed", speed.best());
  return 0;
}

int build_sequitur(const std::string& trace, const std::string& out) {
  Sequitur sequitur;
  double seconds = 0;
  const uint64_t events = stream_trace(trace, [&](PathTraceView part) {
    const Clock clock;
    for (const PathEvent event : part) sequitur.append(event);
    seconds += clock.seconds();
  });
  show("speed", static_cast<double>(events) / seconds);
  show("memory", peak_memory());
  const Grammar grammar = sequitur.grammar();
  show("rules", grammar.rules());
  show("symbols", static_cast<double>(grammar.symbols()));
  const Bytes bytes = grammar.encode(19);
  show("bytes", static_cast<double>(bytes.size()));
  store_bytes(out, bytes);
  return 0;
}

int decode_archive(const std::string& trace_name, const std::string& archive, int rounds) {
  const Bytes bytes = load_bytes(archive);
  uint64_t events = 0;
  const auto decode = [&](const PathArchiveReader::Tell& tell) -> Result<void> {
    TRY(PathArchiveReader reader, PathArchiveReader::open(bytes));
    for (;;) {
      TRY(const bool more, reader.next_chunk(tell));
      if (!more) break;
    }
    events = reader.events();
    return {};
  };
  Result<void> done;
  const double seconds = least_seconds(rounds, [&] { done = decode([](PathTraceView) {}); });
  if (!done) return complain(done.error());
  show("speed", static_cast<double>(events) / seconds);
  show("memory", peak_memory());
  const PathTrace trace = load_trace(trace_name);
  uint64_t at = 0;
  bool same = true;
  done = decode([&](PathTraceView part) {
    same = same && at + part.size() <= trace.size() &&
           std::memcmp(part.data(), trace.data() + at, part.size_bytes()) == 0;
    at += part.size();
  });
  if (!done) return complain(done.error());
  if (same && at == trace.size()) return 0;
  std::fprintf(stderr, "the archive has another trace\n");
  return 1;
}

}  // namespace twinrun::paths_bench
