// SPDX-License-Identifier: MIT
// What the parts of bench_paths share. Each part prints lines "key value", which paths.py makes
// tables of.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "paths/path_event.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace twinrun::paths_bench {

/// CPU time of this thread: other work on the machine does not count.
class Clock {
 public:
  [[nodiscard]] double seconds() const { return now() - start_; }

 private:
  static double now();
  double start_ = now();
};

/// The least of several rounds.
template <typename Work>
double least_seconds(int rounds, Work&& work) {
  double least = 1e99;
  for (int i = 0; i < rounds; ++i) {
    const Clock clock;
    work();
    least = std::min(least, clock.seconds());
  }
  return least;
}

int complain(const Error& error);
void show(const std::string& key, double value);
/// The most memory that the process had, in bytes.
double peak_memory();

/// All of a file; exits when it cannot be read.
Bytes load_bytes(const std::string& name);
void store_bytes(const std::string& name, ByteSpan bytes);
PathTrace load_trace(const std::string& name);
/// Tells a trace in parts that fit into a cache, so that it takes no memory.
uint64_t stream_trace(const std::string& name, const std::function<void(PathTraceView)>& tell);

/// Paths of 1 to 16 blocks that begin at random moments, half of them with one block changed.
std::vector<PathQuery> some_paths(const PathTrace& trace, size_t count);

int build_archive(const std::string& trace, int level, int rounds, const std::string& out);
int build_grams(const std::string& trace, int rounds);
int build_both(const std::string& trace, int level, int rounds);
int build_sequitur(const std::string& trace, const std::string& out);
int decode_archive(const std::string& trace, const std::string& archive, int rounds);
int build_index(const std::string& trace, const std::string& archive, const std::string& out);
int match_schemes(const std::string& trace, const std::string& wpp, const std::string& archive,
                  const std::string& index, int rounds);
int ask_index(const std::string& trace, const std::string& archive, const std::string& index,
              size_t paths);
int follow_calls(const std::string& recording);
int make_file(const std::string& recording);
int ask_file(const std::string& recording, size_t paths);

}  // namespace twinrun::paths_bench
