// SPDX-License-Identifier: MIT
// paths extract RECORDING OUT: writes the control flow traces of a recording as words of 32 bits, a
//   file OUT.PROCESS.THREAD.STACK each.
// paths measure TRACE...: builds and reads the archive of such files, and the WPP.
#include "run/paths/path_archive_builder.h"
#include "run/paths/path_archive_reader.h"
#include "run/paths/path_view.h"
#include "run/paths/scheme1.h"
#include "run/paths/sequitur.h"
#include "run/process_code.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

int complain(const Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.code.c_str(), error.message.c_str());
  return 2;
}

class Clock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
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
    PathView view(model, (*code)->code, {});
    std::map<PathStreamKey, PathTrace> traces;
    const auto done = view.run([&](const PathStreamKey& key, PathTraceView events) {
      PathTrace& trace = traces[key];
      trace.insert(trace.end(), events.begin(), events.end());
    });
    if (!done) return complain(done.error());
    for (const auto& [key, trace] : traces) {
      const std::string name = out + "." + std::to_string(number) + "." +
                               std::to_string(key.thread.value) + "." + std::to_string(key.stack);
      std::printf("%s: %zu events, %u functions, %.1f s%s\n", name.c_str(), trace.size(),
                  view.functions().size(), clock.seconds(),
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
  const Bytes fast = archive_of(trace, 3, "fast");
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

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "extract") == 0) return extract(argv[2], argv[3]);
  if (argc < 3 || std::strcmp(argv[1], "measure") != 0) return 2;
  for (int i = 2; i < argc; ++i)
    if (const int failed = measure(argv[i]); failed != 0) return failed;
  return 0;
}
