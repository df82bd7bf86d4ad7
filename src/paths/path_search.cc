// SPDX-License-Identifier: MIT
#include "paths/path_search.h"

#include "base/text.h"
#include "paths/path_archive_reader.h"
#include "paths/path_expander.h"
#include "paths/path_index_groups.h"
#include "paths/path_replay.h"
#include "paths/stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace twinrun {
namespace {

constexpr size_t kMostPlain = 6;  // that are told

void merge(PathCount& into, const PathCount& other) {
  if (other.count == 0) return;
  into.last = into.count == 0 ? other.last : std::max(into.last, other.last);
  into.first = std::min(into.first, other.first);
  into.count += other.count;
}

std::string plain_text(const std::vector<uint32_t>& blocks) {
  std::string out;
  for (const uint32_t block : blocks) out += fmt::format("{}b{}", out.empty() ? "" : " ", block);
  return out;
}

/// Looks for a path event by event, with contexts and steps.
class PathWalk {
 public:
  PathWalk(const PathCode& code, const PathQuestion& question, const PathSearch& search,
           PathTable table)
      : code_(code), question_(question), search_(search), table_(std::move(table)) {}

  /// A trace of its own.
  void begin() {
    frames_.clear();
    state_ = 0;
    found = {};
  }
  void take(const PathTold& told, const std::function<void(PathPosition)>& tell) {
    for (size_t i = 0; i < told.events.size(); ++i) {
      const PathEvent event = told.events[i];
      if (event.is_exit()) {
        frames_.pop_back();
      } else if (event.is_entry()) {
        enter(event.function());
      } else if (step(frames_.back(), event.block())) {
        merge(found, {1, told.steps[i], told.steps[i]});
        if (search_.context) ++contexts_[context()];
        tell(told.steps[i]);
      }
    }
  }

  PathCount found;
  [[nodiscard]] std::vector<PathContext> contexts() const {
    std::vector<PathContext> out;
    for (const auto& [key, count] : contexts_) {
      PathContext& context = out.emplace_back();
      context.count = count;
      for (const auto& [function, block] : key) context.callers.push_back(caller(function, block));
    }
    return out;
  }

 private:
  using ContextKey = std::vector<std::pair<uint32_t, uint32_t>>;  // function and calling block
  struct Frame {
    uint32_t function = 0;
    uint32_t block = ~0u;
    int32_t state = -1;  // -1: not of interest
    const std::vector<uint32_t>* kinds = nullptr;
  };

  void enter(uint32_t function) {
    Frame frame{.function = function, .kinds = &question_.kinds(function)};
    if (search_.through_calls) {
      const bool is_folded =
          search_.folds_libraries && !code_.modules[code_.functions[function].module].is_program;
      frame.state = is_folded ? -1 : 0;
    } else if (function == question_.function()) {
      frame.state = 0;
    }
    frames_.push_back(frame);
  }
  bool step(Frame& frame, uint32_t block) {
    frame.block = block;
    if (frame.state < 0) return false;
    int32_t& state = search_.through_calls ? state_ : frame.state;
    const uint32_t kind = block < frame.kinds->size() ? (*frame.kinds)[block] : 0;
    state = table_.next[static_cast<size_t>(state) * table_.kinds + kind];
    return table_.accepts[static_cast<size_t>(state)] != 0;
  }
  [[nodiscard]] ContextKey context() const {
    ContextKey key;
    const size_t callers = search_.context.value_or(0);
    const size_t most = callers == 0 ? frames_.size() : callers;
    for (size_t i = frames_.size() - 1; i-- > 0 && key.size() < most;)
      key.emplace_back(frames_[i].function, frames_[i].block);
    return key;
  }
  [[nodiscard]] std::string caller(uint32_t function, uint32_t block) const {
    const std::string& name = code_.functions[function].name;
    const auto body = code_.body(function);
    if (!body || block >= body->blocks.size() || body->blocks[block].lines.empty())
      return block == ~0u ? name : fmt::format("{} b{}", name, block);
    return fmt::format("{} {}", name, line_text(code_, body->blocks[block].lines.back()));
  }

  const PathCode& code_;
  const PathQuestion& question_;
  const PathSearch& search_;
  PathTable table_;
  std::vector<Frame> frames_;
  int32_t state_ = 0;
  std::map<ContextKey, uint64_t> contexts_;
};

/// The search in one recording.
class RecordingSearch {
 public:
  RecordingSearch(const PathsFile& file, const PathSearch& search, PathAnswers& out)
      : file_(file), code_(file.code()), search_(search), out_(out) {}

  Result<void> run(uint32_t function, const PathPattern& pattern) {
    TRY(const PathQuestion question, PathQuestion::make(code_, function, pattern));
    if (question.crosses_functions() && !search_.through_calls) {
      Error error{"Q001", "the path has places of several functions", {}, {}};
      return std::unexpected(
          std::move(error).with_help("--through-calls looks at what is called, too"));
    }
    const PathFunction& names = code_.functions[function];
    out_.function = names.name;
    out_.module = code_.modules[names.module].path;
    TRY_VOID(look(question));
    if (out_.count == 0 && !search_.through_calls) out_.impossible = question.impossible(code_);
    return {};
  }

 private:
  Result<void> look(const PathQuestion& question) {
    const bool wants_walk = search_.through_calls || search_.context || search_.all;
    PathLengths own;
    for (uint32_t b = 0; b < question.body().blocks.size(); ++b)
      own.set(question.function(), b, question.body().blocks[b].instructions);
    for (const PathStream& stream : file_.streams()) {
      out_.events += stream.events;
      PathRow row{stream.process, stream.key.thread, stream.key.stack, {}};
      Stopwatch watch;
      std::optional<PathCount> known;
      if (!search_.through_calls) {
        TRY(const PathIndexGroups groups, PathIndexGroups::open(stream.index));
        TRY(const PathIndex index, groups.of(question.function(), own));
        out_.preparing_us += watch.lap();
        TRY(known, by_index(question, index));
        out_.asking_us += watch.lap();
      }
      if (search_.scheme) {
        TRY(row.found, by_scheme(*search_.scheme, question, stream));
      } else if (known && (!wants_walk || known->count == 0)) {
        row.found = *known;
      } else if (search_.only_index) {
        return fail("Q007", "the index alone does not know this path");
      } else {
        TRY(row.found, by_walk(question, stream));
        out_.asking_us += watch.lap();
      }
      out_.count += row.found.count;
      if (row.found.count > 0) out_.rows.push_back(row);
    }
    tell_plain(question);
    return {};
  }

  Result<std::optional<PathCount>> by_index(const PathQuestion& question, const PathIndex& index) {
    if (const auto plain = question.plain()) {
      plain_.insert(plain->blocks);
      return index.find(*plain);
    }
    const auto paths = PathExpander(question, index).expand();
    if (!paths) {
      is_expanded_ = false;
      return std::nullopt;
    }
    PathCount sum;
    for (const PathQuery& path : *paths) {
      const auto one = index.find(path);
      if (!one) return std::nullopt;
      if (one->count > 0) plain_.insert(path.blocks);
      merge(sum, *one);
    }
    return sum;
  }

  Result<PathCount> by_walk(const PathQuestion& question, const PathStream& stream) {
    out_.by_index = false;
    if (!lengths_) {
      TRY(lengths_, path_lengths(code_));
    }
    TRY(PathTable table, make_path_table(question.pattern(), question.alphabet()));
    PathWalk walk(code_, question, search_, std::move(table));
    walk.begin();
    uint64_t events = 0;
    TRY(const uint64_t chunks, replay_paths(stream, *lengths_, [&](const PathTold& told) {
          walk.take(told, [&](PathPosition step) {
            if (search_.all && out_.all.size() < search_.limit)
              out_.all.push_back({{stream.process}, stream.key.thread, {step}});
          });
          events += told.events.size();
          if (search_.progress) search_.progress(done_ + events);
          return true;
        }));
    done_ += events;
    out_.stats.chunks_opened += chunks;
    out_.stats.terminals_expanded += events;
    for (PathContext& context : walk.contexts()) add_context(std::move(context));
    return walk.found;
  }

  Result<PathCount> by_scheme(PathScheme scheme, const PathQuestion& question,
                              const PathStream& stream) {
    out_.by_index = false;
    if (plain_.size() > 1 || !is_expanded_)
      return fail("Q007", "the schemes look for one path of single blocks, and this is not one");
    if (plain_.empty()) return PathCount{};
    const PathQuery query{question.function(), *plain_.begin()};
    Stopwatch watch;
    TRY(const PathTrace trace, expand_archive(stream.archive));
    out_.preparing_us += watch.lap();
    TRY(const SchemeAnswer found, match_by_scheme(scheme, trace, query));
    out_.preparing_us += found.preparing_us;
    out_.asking_us += found.asking_us;
    const PathStats& stats = found.answer.stats;
    out_.stats.terminals_expanded += stats.terminals_expanded;
    out_.stats.rules_visited += stats.rules_visited;
    out_.stats.chunks_opened += stats.chunks_opened;
    return with_steps(stream, found.answer);
  }

  /// Numbers of events as steps.
  Result<PathCount> with_steps(const PathStream& stream, const PathAnswer& answer) {
    PathCount out{answer.count, kNoPosition, kNoPosition};
    if (answer.count == 0) return out;
    if (!lengths_) {
      TRY(lengths_, path_lengths(code_));
    }
    uint64_t events = 0;
    TRY_VOID(replay_paths(stream, *lengths_, [&](const PathTold& told) {
      const auto step = [&](PathPosition event, PathPosition& to) {
        if (event >= events && event - events < told.steps.size()) to = told.steps[event - events];
      };
      step(answer.all.front(), out.first);
      step(answer.all.back(), out.last);
      events += told.steps.size();
      return out.last == kNoPosition;
    }));
    return out;
  }

  void add_context(PathContext context) {
    const auto same = std::ranges::find(out_.contexts, context.callers, &PathContext::callers);
    if (same == out_.contexts.end()) {
      out_.contexts.push_back(std::move(context));
    } else {
      same->count += context.count;
    }
  }

  void tell_plain(const PathQuestion& question) {
    if (!is_expanded_ || search_.through_calls) return;
    std::set<std::string> callees;
    std::set<uint32_t> passed;
    for (const std::vector<uint32_t>& blocks : plain_) {
      passed.insert(blocks.begin(), blocks.end() - 1);
      if (out_.plain.size() < kMostPlain) {
        std::string text = plain_text(blocks);
        if (std::ranges::find(out_.plain, text) == out_.plain.end())
          out_.plain.push_back(std::move(text));
      }
    }
    for (const PathCall& call : question.body().calls)
      if (passed.contains(call.block)) callees.insert(code_.functions[call.callee].name);
    for (const std::string& callee : callees)
      if (std::ranges::find(out_.interrupted_by, callee) == out_.interrupted_by.end())
        out_.interrupted_by.push_back(callee);
  }

  const PathsFile& file_;
  const PathCode& code_;
  const PathSearch& search_;
  PathAnswers& out_;
  std::optional<PathLengths> lengths_;
  std::set<std::vector<uint32_t>> plain_;
  bool is_expanded_ = true;
  uint64_t done_ = 0;
};

}  // namespace

Result<PathAnswers> search_paths(const PathsFile& file, const PathSearch& search) {
  TRY(const PathPattern pattern, parse_path(search.path));
  PathAnswers out;
  out.by_index = true;
  TRY(const uint32_t function, find_path_function(file.code(), search.function));
  TRY_VOID(RecordingSearch(file, search, out).run(function, pattern));
  std::ranges::stable_sort(out.contexts, std::greater{}, &PathContext::count);
  return out;
}

}  // namespace twinrun
