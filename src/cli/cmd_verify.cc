// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/progress_plans.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "report/verified.h"
#include "trace/reader.h"
#include "trace/verify.h"

#include <memory>

namespace twinrun {
namespace {

struct VerifyFlags {
  std::string name = "@";
  bool json = false;
};

Result<int> run_verify(const VerifyFlags& flags) {
  TRY(const std::string path, resolve_recording(flags.name));
  TRY(const auto reader, Reader::open(path));
  Progress progress(verify_stages(reader->has_values()));
  Verified verified{path, reader->is_prefix(), reader->prefix_note(), reader->lost_bytes(),
                    verify(*reader, progress.sink())};
  progress.finish();
  print_out(flags.json ? verified_json(verified) : verified_text(verified, stdout_style()));
  return verified.report.ok() ? kExitSame : kExitDifferent;
}

}  // namespace

Action setup_verify(FlagSet& app) {
  const auto flags = std::make_shared<VerifyFlags>();
  app.add_option("name", flags->name, "the recording, by default the newest");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_verify(*flags); };
}

}  // namespace twinrun
