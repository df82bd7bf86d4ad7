// SPDX-License-Identifier: MIT
// What two runs were given that is not the same: arguments, environment, directory, files.
//
// The causal difference graph says which input mattered, as far as it gets. This says which inputs
// there were, from the recorded system calls alone, so that an answer has true ground under it even
// where the graph ends early.
//
// Files are paired by their names, and those that only one run used in the order of their use: a
// program that is given good.csv in one run and bad.csv in the other reads them at the same place.
// Two files are compared up to what the shorter one brought; that one run read on is a difference
// only at the end of the other's file. Costs a pass over the events of all processes.
#include "explain/inputs/input_differences.h"

#include "explain/inputs/noise.h"
#include "explain/inputs/read_files.h"
#include "explain/target/targets.h"
#include "kernel/how_ended.h"
#include "trace/initial_stack.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace twinrun {
namespace {

using Kind = InputDifference::Kind;

constexpr size_t kTextMost = 40;  // of a line, on each side of a difference

/// Where the texts of two files first differ. Nothing when one is the beginning of the other and
/// was only not read as far.
std::optional<InputDifference> compare(const ReadFile& a, const ReadFile& b) {
  const auto [at_a, at_b] = std::ranges::mismatch(a.contents, b.contents);
  if (at_a == a.contents.end() && at_b == b.contents.end()) return std::nullopt;
  const auto offset = static_cast<size_t>(at_a - a.contents.begin());
  const std::string_view common(a.contents.data(), offset);
  const size_t line_start = common.rfind('\n') + 1;  // 0 without one
  InputDifference out{.kind = Kind::kFile, .name_a = a.path, .name_b = b.path};
  out.offset = offset;
  out.line = 1 + static_cast<uint64_t>(std::ranges::count(common, '\n'));
  out.column = offset - line_start + 1;
  const size_t from = std::max(line_start, offset - std::min(offset, kTextMost));
  out.before = common.substr(from);
  const auto rest = [&](const std::string& contents) -> std::optional<std::string> {
    if (offset == contents.size()) return std::nullopt;
    const std::string_view tail = std::string_view(contents).substr(offset, kTextMost);
    return std::string(tail.substr(0, tail.find('\n')));
  };
  out.value_a = rest(a.contents);
  out.value_b = rest(b.contents);
  out.has_ended = out.value_a ? b.is_at_end : a.is_at_end;
  return out;
}

class Inputs {
 public:
  explicit Inputs(const RunPair& runs) : runs_(runs) {}

  Result<std::vector<InputDifference>> run() {
    for (const auto& [a, b] : process_pairs(runs_)) TRY_VOID(add_files(a, b));
    std::vector<InputDifference> files = std::exchange(out_, {});
    TRY_VOID(add_start());
    std::ranges::move(files, std::back_inserter(out_));
    // What the kernel tells of itself differs from run to run, and comes last.
    std::ranges::stable_sort(out_, {}, [](const InputDifference& one) {
      return std::pair(is_of_kernel(one.name_a) || is_of_kernel(one.name_b), one.kind);
    });
    return std::move(out_);
  }

 private:
  Result<void> add_start() {
    const Reader& a = runs_.a().reader();
    const Reader& b = runs_.b().reader();
    const Process* root_a = root_process(a);
    const Process* root_b = root_process(b);
    if (root_a == nullptr || root_b == nullptr) return {};
    TRY(const InitialStack start_a, initial_stack(a, root_a->info.number));
    TRY(const InitialStack start_b, initial_stack(b, root_b->info.number));
    const size_t words = std::max(start_a.argv.size(), start_b.argv.size());
    for (size_t i = 1; i < words; ++i) {
      const bool in_a = i < start_a.argv.size();
      const bool in_b = i < start_b.argv.size();
      if (in_a && in_b && start_a.argv[i] == start_b.argv[i]) continue;
      // Two names of files that are told as such.
      if (in_a && in_b && is_told(start_a.argv[i], start_b.argv[i])) continue;
      InputDifference made{.kind = Kind::kArgument};
      made.name_a = made.name_b = fmt::format("argv[{}]", i);
      if (in_a) made.value_a = start_a.argv[i];
      if (in_b) made.value_b = start_b.argv[i];
      out_.push_back(std::move(made));
    }
    add_variables(start_a.env, start_b.env);
    if (a.recording() && b.recording() && a.recording()->cwd != b.recording()->cwd)
      out_.push_back({.kind = Kind::kDirectory,
                      .name_a = {},
                      .name_b = {},
                      .value_a = a.recording()->cwd,
                      .value_b = b.recording()->cwd});
    return {};
  }

  void add_variables(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    std::map<std::string, std::pair<std::optional<std::string>, std::optional<std::string>>> all;
    const auto add = [&](const std::vector<std::string>& env, bool is_a) {
      for (const std::string& one : env) {
        const size_t equals = one.find('=');
        if (equals == std::string::npos) continue;
        auto& values = all[one.substr(0, equals)];
        (is_a ? values.first : values.second) = one.substr(equals + 1);
      }
    };
    add(a, true);
    add(b, false);
    all.erase("_");  // shells put the command itself there
    for (const auto& [name, values] : all) {
      if (values.first == values.second) continue;
      out_.push_back({.kind = Kind::kVariable,
                      .name_a = name,
                      .name_b = name,
                      .value_a = values.first,
                      .value_b = values.second});
    }
  }

  [[nodiscard]] bool is_told(const std::string& a, const std::string& b) const {
    return std::ranges::find(paired_, std::pair(a, b)) != paired_.end();
  }

  Result<void> add_files(uint32_t number_a, uint32_t number_b) {
    const Reader& a = runs_.a().reader();
    const Reader& b = runs_.b().reader();
    TRY(auto files_a, read_files(a, *a.process(number_a)));
    TRY(auto files_b, read_files(b, *b.process(number_b)));
    note_made(files_a, made_a_);
    note_made(files_b, made_b_);
    std::vector<const ReadFile*> only_a;
    std::vector<const ReadFile*> only_b;
    const auto find = [](const std::vector<ReadFile>& files, const std::string& path) {
      const auto found = std::ranges::find(files, path, &ReadFile::path);
      return found == files.end() ? nullptr : &*found;
    };
    for (const ReadFile& file : files_a) {
      if (const ReadFile* same = find(files_b, file.path))
        add_pair(file, *same);
      else
        only_a.push_back(&file);
    }
    for (const ReadFile& file : files_b)
      if (find(files_a, file.path) == nullptr) only_b.push_back(&file);
    const size_t both = std::min(only_a.size(), only_b.size());
    for (size_t i = 0; i < both; ++i) {
      paired_.emplace_back(only_a[i]->path, only_b[i]->path);
      add_pair(*only_a[i], *only_b[i]);
    }
    for (size_t i = both; i < only_a.size(); ++i) add_single(RunSide::kA, *only_a[i]);
    for (size_t i = both; i < only_b.size(); ++i) add_single(RunSide::kB, *only_b[i]);
    return {};
  }

  /// What an earlier process of the run has made is no input of a later one.
  static void note_made(std::vector<ReadFile>& files, std::set<std::string>& made) {
    for (ReadFile& file : files) {
      if (made.contains(file.path)) file.is_made = true;
      if (file.is_made) made.insert(file.path);
    }
  }

  void add_pair(const ReadFile& a, const ReadFile& b) {
    if (a.is_made || b.is_made) return;
    if (a.error != b.error) {
      // The one that failed tells why.
      if (!a.error.empty()) add_failed(RunSide::kA, a);
      if (!b.error.empty()) add_failed(RunSide::kB, b);
      return;
    }
    if (auto difference = compare(a, b)) out_.push_back(std::move(*difference));
  }

  void add_failed(RunSide side, const ReadFile& file) {
    InputDifference made{.kind = Kind::kFailed, .error = file.error};
    (side == RunSide::kA ? made.name_a : made.name_b) = file.path;
    out_.push_back(std::move(made));
  }

  void add_single(RunSide side, const ReadFile& file) {
    if (!file.error.empty()) return add_failed(side, file);
    if (file.is_made) return;
    InputDifference made{.kind = Kind::kOpened};
    (side == RunSide::kA ? made.name_a : made.name_b) = file.path;
    out_.push_back(std::move(made));
  }

  const RunPair& runs_;
  std::vector<InputDifference> out_;
  std::vector<std::pair<std::string, std::string>> paired_;  // files of different names
  std::set<std::string> made_a_;                             // paths that A's processes made
  std::set<std::string> made_b_;
};

}  // namespace

Result<std::vector<InputDifference>> input_differences(const RunPair& runs) {
  return Inputs(runs).run();
}

}  // namespace twinrun
