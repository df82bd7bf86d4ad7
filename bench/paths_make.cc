// SPDX-License-Identifier: MIT
// What making the file of paths takes, from a recording on, and how much of that is following the
// calls: a walk that keeps nothing. The difference in memory is what the archive and the index
// need.
#include "paths/path_view.h"
#include "paths/paths_file.h"
#include "paths_bench.h"
#include "run/run.h"

#include <sys/resource.h>

#include <chrono>
#include <functional>

namespace twinrun::paths_bench {
namespace {

double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

/// Of all threads.
int show_costs(const std::function<Result<void>()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const double before = cpu_seconds();
  if (const auto done = work(); !done) return complain(done.error());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  show("cpu", cpu_seconds() - before);
  show("wall", wall.count());
  show("memory", peak_memory());
  return 0;
}

}  // namespace

int follow_calls(const std::string& recording) {
  const auto run = Run::open(recording);
  if (!run) return complain(run.error());
  return show_costs([&]() -> Result<void> {
    CodeSpace space;
    for (const auto& [number, process] : (*run)->reader().processes()) {
      TRY(const auto code, (*run)->borrow(number));
      TRY_VOID(space.add(*code));
    }
    PathFunctions functions(space);
    uint64_t events = 0;
    for (const auto& [number, process] : (*run)->reader().processes()) {
      TRY(const auto code, (*run)->borrow(number));
      PathView view({space, *code}, functions, {});
      TRY_VOID(view.run(
          [&](const PathStreamKey&, const PathTold& told) { events += told.events.size(); }));
    }
    show("events", static_cast<double>(events));
    return {};
  });
}

int make_file(const std::string& recording) {
  const auto run = Run::open(recording);
  if (!run) return complain(run.error());
  return show_costs([&]() -> Result<void> {
    TRY(const Bytes bytes, make_paths(**run, {.progress = {}}));
    show("bytes", static_cast<double>(bytes.size()));
    store_bytes(recording + ".paths", bytes);
    return {};
  });
}

}  // namespace twinrun::paths_bench
