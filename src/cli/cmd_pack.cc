// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "report/packed.h"
#include "run/pack.h"
#include "trace/reader.h"

#include <algorithm>
#include <memory>

namespace twinrun {
namespace {

struct PackFlags {
  std::string name = "@";
  std::string output;
  bool json = false;
};

/// Packing a cut recording gives it its proper name.
std::string own_path(std::string path) {
  if (path.ends_with(kPartialSuffix)) path.resize(path.size() - kPartialSuffix.size());
  return path;
}

Result<int> run_pack(const PackFlags& flags) {
  TRY(const std::string path, resolve_recording(flags.name));
  TRY(const auto reader, Reader::open(path));
  std::string output = flags.output;
  if (output.empty()) {
    output = own_path(path);
    if (output != path) {
      Error error{
          "S008", "the recording was not finished: its file cannot be packed in place", {}, {}};
      return std::unexpected(std::move(error).with_help("give a name for the copy with -o"));
    }
  }
  TRY(const PackResult result, pack(*reader, output));
  print_out(flags.json ? pack_json(result) : pack_text(result));
  const bool whole = std::ranges::all_of(
      result.binaries, [](const PackedBinary& binary) { return binary.missing.empty(); });
  return whole ? kExitSame : kExitDifferent;
}

}  // namespace

Action setup_pack(FlagSet& app) {
  const auto flags = std::make_shared<PackFlags>();
  app.add_option("name", flags->name, "the recording, by default the newest");
  app.add_option("-o,--output", flags->output, "write a packed copy instead of packing in place")
      ->type_name("PATH");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_pack(*flags); };
}

}  // namespace twinrun
