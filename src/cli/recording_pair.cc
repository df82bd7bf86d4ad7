// SPDX-License-Identifier: MIT
#include "cli/recording_pair.h"

#include "cli/store.h"
#include "cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace twinrun {

Result<std::unique_ptr<RunPair>> open_recordings(const std::string& a, const std::string& b,
                                                 const DebugDirectories& debug_directories) {
  TRY(const std::string path_a, resolve_recording(a));
  TRY(const std::string path_b, resolve_recording(b));
  return RunPair::open(path_a, path_b, debug_directories);
}

void add_loops_flag(FlagSet& app, std::string& flag) {
  app.add_option("--pair-loops", flag, "pair times round loops by number or by content")
      ->type_name("number|content")
      ->one_of({"number", "content"});
}

PairLoops loops_of(const std::string& flag) {
  return flag == "number" ? PairLoops::kNumber : PairLoops::kContent;
}

PositionForm position_form(const RunPair& runs) {
  return std::max(shortest_form(runs.a().reader()), shortest_form(runs.b().reader()));
}

void print_notes(const RunPair& runs) { print_notes(runs, runs.a().binaries().warnings()); }

void print_notes(const RunPair& runs, const std::vector<std::string>& warnings) {
  // Names are taken from the binaries of the first run.
  print_warnings(warnings);
  for (const Run* run : {&runs.a(), &runs.b()}) {
    const Reader& reader = run->reader();
    if (reader.is_prefix())
      print_note(fmt::format("{} is a prefix: {}", reader.path(), reader.prefix_note()));
  }
}

void print_notes(const RunPair& runs, std::vector<std::string> warnings, const SourceText& quoted) {
  for (const std::string& file : quoted.changed())
    warnings.push_back(file +
                       ": changed since the runs began; the lines quoted may not be what ran");
  print_notes(runs, warnings);
}

SourceText sources_of(const RunPair& runs, SourceDirectories directories) {
  SourceText out(std::move(directories));
  out.add_recording(runs.a().reader());
  out.add_recording(runs.b().reader());
  return out;
}

}  // namespace twinrun
