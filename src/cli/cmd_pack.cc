// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/file_flags.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "counts/executed_sources.h"
#include "report/packed.h"
#include "run/pack.h"
#include "run/run.h"

#include <memory>
#include <string>
#include <vector>

namespace twinrun {
namespace {

struct PackFlags {
  std::string name = "@";
  std::string output;
  FileFlags files;
  bool no_sources = false;
  bool json = false;
};

/// Packing a cut recording gives it its proper name.
std::string own_path(std::string path) {
  if (path.ends_with(kPartialSuffix)) path.resize(path.size() - kPartialSuffix.size());
  return path;
}

Result<int> run_pack(const PackFlags& flags) {
  TRY(const std::string path, resolve_recording(flags.name));
  TRY(const SourceDirectories directories, source_directories(flags.files));
  TRY(const DebugDirectories debug, debug_directories(flags.files));
  TRY(const auto run, Run::open(path, debug));
  std::string output = flags.output;
  if (output.empty()) {
    output = own_path(path);
    if (output != path) {
      Error error{
          "S008", "the recording was not finished: its file cannot be packed in place", {}, {}};
      return std::unexpected(std::move(error).with_help("give a name for the copy with -o"));
    }
  }
  Progress progress("packing", Progress::kUnknown);
  std::vector<SourceFile> sources;
  if (!flags.no_sources) {
    TRY(const ExecutedSources files, executed_sources(*run));
    for (const std::string& file : files.own) sources.push_back({file, directories.find(file)});
    for (const std::string& file : files.system)
      sources.push_back({file, directories.find(file), true});
  }
  TRY(const PackResult result, pack(*run, output, sources));
  progress.finish();
  print_out(flags.json ? pack_json(result) : pack_text(result));
  return result.has_binaries() ? kExitSame : kExitDifferent;
}

}  // namespace

Action setup_pack(FlagSet& app) {
  const auto flags = std::make_shared<PackFlags>();
  app.add_option("name", flags->name, "the recording, by default the newest");
  app.add_option("-o,--output", flags->output, "write a packed copy instead of packing in place")
      ->type_name("PATH");
  app.add_flag("--no-sources", flags->no_sources, "binaries only");
  add_file_flags(app, flags->files);
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_pack(*flags); };
}

}  // namespace twinrun
