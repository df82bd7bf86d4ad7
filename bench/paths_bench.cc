// SPDX-License-Identifier: MIT
#include "paths_bench.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

namespace twinrun::paths_bench {
namespace {

std::FILE* open_or_exit(const std::string& name, const char* mode) {
  std::FILE* file = std::fopen(name.c_str(), mode);
  if (file != nullptr) return file;
  std::perror(name.c_str());
  std::exit(2);
}

}  // namespace

double Clock::now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

int complain(const Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.code.c_str(), error.message.c_str());
  return 2;
}

void show(const std::string& key, double value) { std::printf("%s %.17g\n", key.c_str(), value); }

double peak_memory() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) * 1024;
}

Bytes load_bytes(const std::string& name) {
  std::FILE* file = open_or_exit(name, "rb");
  std::fseek(file, 0, SEEK_END);
  Bytes bytes(static_cast<size_t>(std::ftell(file)));
  std::rewind(file);
  if (std::fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) std::exit(2);
  std::fclose(file);
  return bytes;
}

void store_bytes(const std::string& name, ByteSpan bytes) {
  std::FILE* file = open_or_exit(name, "wb");
  if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fclose(file) != 0)
    std::exit(2);
}

uint64_t stream_trace(const std::string& name, const std::function<void(PathTraceView)>& tell) {
  std::FILE* file = open_or_exit(name, "rb");
  PathTrace part(1u << 16, PathEvent::exit());
  uint64_t events = 0;
  while (const size_t read = std::fread(part.data(), sizeof(PathEvent), part.size(), file)) {
    tell(PathTraceView(part).first(read));
    events += read;
  }
  std::fclose(file);
  return events;
}

PathTrace load_trace(const std::string& name) {
  PathTrace trace;
  stream_trace(name,
               [&](PathTraceView part) { trace.insert(trace.end(), part.begin(), part.end()); });
  trace.shrink_to_fit();
  return trace;
}

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

}  // namespace twinrun::paths_bench
