// SPDX-License-Identifier: MIT
#include "explain/answer/page_data.h"

#include "base/text.h"
#include "counts/executed_lines.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

namespace twinrun {
namespace {

uint64_t size_of(const PageCell& cell) { return std::max(cell.a.size(), cell.b.size()); }

/// By where they begin: process and thread of A, then the steps of both.
using DivergenceKey = std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>;

std::vector<PageCell> cells_of(const ThreadAlignment& thread,
                               const std::map<DivergenceKey, SourcePlace>& places) {
  std::vector<PageCell> out;
  for (const AlignedRegion& region : thread.regions) {
    PageCell cell{.a = region.a, .b = region.b};
    if (region.is_aligned) {
      cell.aligned = region.a.size();
    } else {
      cell.only_a = region.a.size();
      cell.only_b = region.b.size();
      cell.divergences = 1;
      const auto found = places.find(
          {thread.a.process.value, thread.a.thread.value, region.a.from, region.b.from});
      if (found != places.end()) cell.at = found->second;
    }
    out.push_back(std::move(cell));
  }
  return out;
}

void add_threads(PageData& page, const PageOptions& options) {
  const AlignReport& alignment = page.diff.alignment;
  std::map<DivergenceKey, SourcePlace> places;
  for (const Divergence& divergence : alignment.divergences)
    places[{divergence.a.process.value, divergence.a.thread.value, divergence.only_a.from,
            divergence.only_b.from}] = divergence.at;
  const size_t shown = std::min(options.threads, alignment.threads.size());
  page.threads_left_out = alignment.threads.size() - shown;
  for (size_t i = 0; i < shown; ++i) {
    const ThreadAlignment& thread = alignment.threads[i];
    PageThread row{.a = thread.a, .b = thread.b, .note = thread.note};
    row.cells = merge_cells(cells_of(thread, places), std::max<size_t>(10, options.cells / shown));
    page.threads.push_back(std::move(row));
  }
}

/// The places that the page can go to, by file; files in the order in which they matter.
class Wanted {
 public:
  void add(const std::string& file, uint32_t line, const std::string& module) {
    if (file.empty() || line == 0 || !is_source_file(file)) return;
    const auto [found, is_new] = lines_.try_emplace(file);
    if (is_new) files_.push_back(file);
    found->second.insert(line);
    modules_.insert(std::string(base_name(module)));
  }
  void add(const std::optional<NamedInstruction>& at) {
    if (at) add(at->file, at->line, at->module);
  }
  void add(const WhyReport::Node& node) {
    add(node.caller_a);
    add(node.caller_b);
    // The program's call tells more than a header of the system.
    if (!(has_line(node.caller_a) && is_of_system(node.a))) add(node.a);
    if (!(has_line(node.caller_b) && is_of_system(node.b))) add(node.b);
  }

  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  [[nodiscard]] const std::set<std::string>& modules() const { return modules_; }
  [[nodiscard]] std::vector<uint32_t> lines(const std::string& file) const {
    const std::set<uint32_t>& found = lines_.at(file);
    return {found.begin(), found.end()};
  }

 private:
  static bool has_line(const std::optional<NamedInstruction>& at) { return at && at->line != 0; }
  static bool is_of_system(const std::optional<NamedInstruction>& at) {
    return at && at->file.starts_with("/usr/");
  }

  std::vector<std::string> files_;
  std::map<std::string, std::set<uint32_t>> lines_;
  std::set<std::string> modules_;
};

Wanted wanted_places(const PageData& page) {
  Wanted out;
  for (const WhyReport::Line& line : page.why.answer)
    for (const uint32_t node : line.nodes) out.add(page.why.nodes[node]);
  for (const WhyReport::Node& node : page.why.nodes) out.add(node);
  for (const WhyReport::Statement& statement : page.why.statements) {
    // Those of the system are known by its headers only.
    const NamedInstruction& at = statement.at;
    if (!at.file.starts_with("/usr/")) out.add(at.file, at.line, at.module);
  }
  for (const PageThread& thread : page.threads)
    for (const PageCell& cell : thread.cells) out.add(cell.at.file, cell.at.line, cell.at.module);
  return out;
}

Result<void> add_files(PageData& page, const RunPair& runs) {
  const Wanted wanted = wanted_places(page);
  if (wanted.files().empty()) return {};
  const std::set<std::string> files(wanted.files().begin(), wanted.files().end());
  TRY(ExecutedLines in_a, executed_lines(runs.a(), wanted.modules(), files));
  TRY(ExecutedLines in_b, executed_lines(runs.b(), wanted.modules(), files));
  for (const std::string& file : wanted.files()) {
    PageFile row{.file = file, .lines = wanted.lines(file)};
    for (const auto& [line, executed] : in_a[file]) row.a[line] = executed.times;
    for (const auto& [line, executed] : in_b[file]) row.b[line] = executed.times;
    page.files.push_back(std::move(row));
  }
  return {};
}

}  // namespace

std::vector<PageCell> merge_cells(const std::vector<PageCell>& cells, size_t limit) {
  if (cells.size() <= limit) return cells;
  uint64_t total = 0;
  for (const PageCell& cell : cells) total += size_of(cell);
  // Each cell that is closed, and each that stays alone, is at least this long, or stands between
  // two of those.
  const uint64_t least = total / std::max<size_t>(1, limit / 2) + 1;
  std::vector<PageCell> out;
  bool is_open = false;
  uint64_t longest = 0;  // divergence of the open cell
  for (const PageCell& cell : cells) {
    if (!is_open || size_of(cell) >= least || size_of(out.back()) >= least) {
      out.push_back(cell);
      is_open = size_of(cell) < least;
      longest = cell.only_a + cell.only_b;
      continue;
    }
    PageCell& joined = out.back();
    joined.a.to = cell.a.to;
    joined.b.to = cell.b.to;
    joined.aligned += cell.aligned;
    joined.only_a += cell.only_a;
    joined.only_b += cell.only_b;
    joined.divergences += cell.divergences;
    const uint64_t apart = cell.only_a + cell.only_b;
    if (!cell.at.function.empty() && (joined.at.function.empty() || apart > longest)) {
      joined.at = cell.at;
      longest = apart;
    }
  }
  return out;
}

bool is_source_file(std::string_view path) {
  // Relative names, as of distributions' packages, mean nothing here.
  if (!path.starts_with('/')) return false;
  // The C++ library's headers have no suffix.
  if (path.starts_with("/usr/include/")) return path.find("/../") == std::string_view::npos;
  static constexpr std::array<std::string_view, 52> kSuffixes{
      ".c",   ".cc",    ".cpp", ".cxx", ".c++", ".C",   ".h",   ".hh",  ".hpp", ".hxx", ".h++",
      ".H",   ".ii",    ".i",   ".inc", ".inl", ".ipp", ".tcc", ".tpp", ".txx", ".def", ".S",
      ".s",   ".sx",    ".asm", ".rs",  ".go",  ".d",   ".zig", ".nim", ".f",   ".F",   ".for",
      ".f77", ".f90",   ".F90", ".f95", ".f03", ".f08", ".adb", ".ads", ".pas", ".pp",  ".m",
      ".mm",  ".swift", ".cu",  ".y",   ".yy",  ".l",   ".ll",  ".vala"};
  const std::string_view name = base_name(path);
  return std::ranges::any_of(kSuffixes, [&](std::string_view suffix) {
    return name.ends_with(suffix) && name.size() > suffix.size();
  });
}

Result<PageData> page_data(WhyReport why, RunPair& runs, const PageOptions& options) {
  PageData page{.why = std::move(why)};
  page.lines = lines_of_graph(page.why);
  const DiffOptions diff{.divergences = kPageDivergences, .work = options.work};
  TRY(page.diff, diff_stat(runs, diff));
  add_threads(page, options);
  TRY_VOID(add_files(page, runs));
  return page;
}

}  // namespace twinrun
