// SPDX-License-Identifier: MIT
// What questions about a recording's paths cost when they are asked as `twinrun paths` asks them,
// of the file beside the recording: each reads what it needs of the file anew. The paths were
// executed at random moments. Some are looked for in the archive, too, which says whether the
// answers are right and what they would cost without an index.
#include "paths/path_archive_reader.h"
#include "paths/path_replay.h"
#include "paths/path_search.h"
#include "paths/paths_file.h"
#include "paths_bench.h"
#include "run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>

namespace twinrun::paths_bench {
namespace {

constexpr size_t kScanned = 10;
constexpr size_t kMostBlocks = 16;

/// Draws paths while a trace goes by: from random moments on, what their invocation executes.
class PathSampler {
 public:
  PathSampler(uint64_t events, size_t count) : moments_(count) {
    for (uint64_t& moment : moments_) moment = random_() % events;
    std::ranges::sort(moments_);
  }
  void take(PathTraceView events) {
    for (const PathEvent event : events) {
      if (event.is_entry()) {
        frames_.push_back({event.function(), {}});
      } else if (event.is_exit()) {
        for (Growing& path : frames_.back().paths) add(std::move(path.query));
        frames_.pop_back();
      } else {
        for (; next_ < moments_.size() && moments_[next_] <= at_; ++next_)
          if (moments_[next_] == at_)
            frames_.back().paths.push_back(
                {{frames_.back().function, {}}, 1 + random_() % kMostBlocks});
        for (Growing& path : frames_.back().paths) {
          path.query.blocks.push_back(event.block());
          if (path.query.blocks.size() == path.length) add(std::move(path.query));
        }
        std::erase_if(frames_.back().paths,
                      [](const Growing& path) { return path.query.blocks.empty(); });
      }
      ++at_;
    }
  }
  /// Half of them with one block changed.
  [[nodiscard]] const std::vector<PathQuery>& paths() const { return paths_; }

 private:
  struct Growing {
    PathQuery query;
    size_t length = 0;
  };
  struct Frame {
    uint32_t function = 0;
    std::vector<Growing> paths;
  };
  void add(PathQuery query) {
    if (random_() % 2 == 0) {
      uint32_t& changed = query.blocks[random_() % query.blocks.size()];
      changed = changed == 0 ? 1 : changed - 1;
    }
    paths_.push_back(std::move(query));
    query.blocks.clear();
  }

  std::mt19937_64 random_{1};
  std::vector<uint64_t> moments_;
  size_t next_ = 0;
  uint64_t at_ = 0;
  std::vector<Frame> frames_;
  std::vector<PathQuery> paths_;
};

std::string text_of(const PathQuery& query) {
  std::string out;
  for (const uint32_t block : query.blocks) out += fmt::format("b{} ", block);
  return out;
}

/// How a user would name it; nothing when only several together have a name.
std::optional<std::string> name_of(const PathCode& code, uint32_t function) {
  for (const std::string& name :
       {code.functions[function].name, fmt::format("{:#x}", code.functions[function].address)})
    if (const auto found = find_path_function(code, name); found && *found == function) return name;
  return std::nullopt;
}

Result<PathFound> scan(ByteSpan archive, const PathQuery& query) {
  TRY(PathArchiveReader reader, PathArchiveReader::open(archive));
  const PathAutomaton automaton(query);
  PathStates states;
  PathFound found;
  for (;;) {
    TRY(const bool more, reader.scan_chunk(automaton, states, found));
    if (!more) return found;
  }
}

Result<std::vector<PathQuery>> sample(const PathStream& stream, size_t count) {
  TRY(PathArchiveReader reader, PathArchiveReader::open(stream.archive));
  PathSampler sampler(stream.events, count);
  for (;;) {
    TRY(const bool more, reader.next_chunk([&](PathTraceView events) { sampler.take(events); }));
    if (!more) return sampler.paths();
  }
}

Result<bool> ask(const PathsFile& file, const PathStream& stream, size_t count) {
  TRY(std::vector<PathQuery> queries, sample(stream, count));
  std::vector<double> times;
  std::vector<PathAnswers> answers;
  std::vector<const PathQuery*> asked;
  uint64_t open = 0;
  uint64_t absent = 0;
  uint64_t nameless = 0;
  for (PathQuery& query : queries) {
    const auto name = name_of(file.code(), query.function);
    if (!name) {
      ++nameless;
      continue;
    }
    TRY(const PathBody body, file.code().body(query.function));
    // A block that was changed may be none.
    for (uint32_t& block : query.blocks)
      block = std::min(block, static_cast<uint32_t>(body.blocks.size()) - 1);
    const std::string text = text_of(query);
    const Clock clock;
    TRY(PathAnswers answer,
        search_paths(
            file, {.function = *name, .path = text, .context = {}, .scheme = {}, .progress = {}}));
    times.push_back(clock.seconds());
    open += answer.by_index ? 0 : 1;
    absent += answer.count == 0 ? 1 : 0;
    answers.push_back(std::move(answer));
    asked.push_back(&query);
  }
  double scanning = 0;
  for (size_t k = 0; k < std::min(kScanned, asked.size()); ++k) {
    const size_t i = k * asked.size() / kScanned;
    const Clock clock;
    TRY(const PathFound right, scan(stream.archive, *asked[i]));
    scanning += clock.seconds();
    // Of this trace; the recording can have others.
    uint64_t count_here = 0;
    for (const PathRow& row : answers[i].rows)
      if (row.process == stream.process && row.thread == stream.key.thread &&
          row.stack == stream.key.stack)
        count_here = row.found.count;
    if (count_here != right.count) {
      std::fprintf(stderr, "a scan finds %s %zu times\n", text_of(*asked[i]).c_str(),
                   static_cast<size_t>(right.count));
      return false;
    }
  }
  std::ranges::sort(times);
  show("events", static_cast<double>(stream.events));
  show("paths", static_cast<double>(times.size()));
  show("nameless", static_cast<double>(nameless));
  show("absent", static_cast<double>(absent));
  show("open", static_cast<double>(open));
  show("median", times[times.size() / 2]);
  show("p99", times[times.size() * 99 / 100]);
  show("most", times.back());
  show("scan", scanning / static_cast<double>(std::min(kScanned, asked.size())));
  show("index_bytes", static_cast<double>(stream.index.size()));
  show("archive_bytes", static_cast<double>(stream.archive.size()));
  return true;
}

}  // namespace

int ask_file(const std::string& recording, size_t paths) {
  const auto run = Run::open(recording);
  if (!run) return complain(run.error());
  const auto file = PathsFile::open(recording + ".paths", (*run)->reader());
  if (!file) return complain(file.error());
  const auto longest = std::ranges::max_element((*file)->streams(), {}, &PathStream::events);
  if (longest == (*file)->streams().end()) return 2;
  const auto right = ask(**file, *longest, paths);
  if (!right) return complain(right.error());
  return *right ? 0 : 1;
}

}  // namespace twinrun::paths_bench
