// SPDX-License-Identifier: MIT
// paths extract RECORDING OUT: writes the longest control flow trace of a recording as words of 32
//   bits.
// paths archive TRACE LEVEL ROUNDS OUT, paths sequitur TRACE OUT, paths index TRACE ARCHIVE OUT:
//   make what is named and write it.
// paths grams TRACE ROUNDS, paths both TRACE LEVEL ROUNDS: the index's counts, alone and together
//   with the archive.
// paths decode TRACE ARCHIVE ROUNDS: reads an archive, and compares it with the trace.
// paths schemes TRACE WPP ARCHIVE INDEX ROUNDS: three types of paths under all schemes.
// paths ask TRACE ARCHIVE INDEX COUNT: paths that were executed at random moments.
// paths follow RECORDING, paths make RECORDING: the walk alone, and all of the file beside the
//   recording.
// paths questions RECORDING COUNT: the same as `twinrun paths` asks, of the file beside the
// recording.
#include "paths/path_view.h"
#include "paths_bench.h"
#include "run/run.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

using namespace twinrun;               // NOLINT(google-build-using-namespace)
using namespace twinrun::paths_bench;  // NOLINT(google-build-using-namespace)

namespace {

/// Figure 11.
void show_shape(const PathTrace& trace) {
  std::vector<bool> met;
  size_t functions = 0;
  size_t level = 0;
  size_t most_levels = 0;
  for (const PathEvent event : trace) {
    if (event.is_exit()) --level;
    if (!event.is_entry()) continue;
    most_levels = std::max(most_levels, ++level);
    if (met.size() <= event.function()) met.resize(event.function() + 1);
    functions += met[event.function()] ? 0 : 1;
    met[event.function()] = true;
  }
  show("events", static_cast<double>(trace.size()));
  show("functions", static_cast<double>(functions));
  show("levels", static_cast<double>(most_levels));
}

int extract(const std::string& recording, const std::string& out) {
  const auto run = Run::open(recording);
  if (!run) return complain(run.error());
  PathTrace longest;
  const Clock clock;
  for (const auto& [number, process] : (*run)->reader().processes()) {
    const auto code = (*run)->borrow(number);
    if (!code) return complain(code.error());
    CodeSpace space;
    if (const auto added = space.add(**code); !added) return complain(added.error());
    PathFunctions functions(space);
    PathView view({space, **code}, functions, {});
    std::map<PathStreamKey, PathTrace> traces;
    const auto done = view.run([&](const PathStreamKey& key, const PathTold& told) {
      PathTrace& trace = traces[key];
      trace.insert(trace.end(), told.events.begin(), told.events.end());
    });
    if (!done) return complain(done.error());
    for (auto& [key, trace] : traces)
      if (trace.size() > longest.size()) longest = std::move(trace);
  }
  show("seconds", clock.seconds());
  if (!is_well_formed(longest)) {
    std::fprintf(stderr, "the trace is not well formed\n");
    return 1;
  }
  show_shape(longest);
  store_bytes(
      out, {reinterpret_cast<const uint8_t*>(longest.data()), longest.size() * sizeof(PathEvent)});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto number = [&](size_t i) { return std::atoi(args[i].c_str()); };
  const auto is = [&](const char* verb, size_t operands) {
    return !args.empty() && args[0] == verb && args.size() == operands + 1;
  };
  if (is("extract", 2)) return extract(args[1], args[2]);
  if (is("archive", 4)) return build_archive(args[1], number(2), number(3), args[4]);
  if (is("sequitur", 2)) return build_sequitur(args[1], args[2]);
  if (is("index", 3)) return build_index(args[1], args[2], args[3]);
  if (is("grams", 2)) return build_grams(args[1], number(2));
  if (is("both", 3)) return build_both(args[1], number(2), number(3));
  if (is("decode", 3)) return decode_archive(args[1], args[2], number(3));
  if (is("schemes", 5)) return match_schemes(args[1], args[2], args[3], args[4], number(5));
  if (is("ask", 4)) return ask_index(args[1], args[2], args[3], static_cast<size_t>(number(4)));
  if (is("follow", 1)) return follow_calls(args[1]);
  if (is("make", 1)) return make_file(args[1]);
  if (is("questions", 2)) return ask_file(args[1], static_cast<size_t>(number(2)));
  std::fprintf(stderr, "usage: see the head of paths.cc\n");
  return 2;
}
