// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/match_flags.h"
#include "cli/output_file.h"
#include "cli/profile_files.h"
#include "cli/progress.h"
#include "cli/progress_plans.h"
#include "match/matcher.h"
#include "profile/migrate.h"

#include <memory>

namespace twinrun {
namespace {

struct MigrateFlags {
  ProfileInFlags in;
  ProfileOutFlags out;
  MatchFlags how;
  std::string new_binary;
  std::string min_strength = "weak";
  std::vector<std::string> profiles;
  bool no_inference = false;
};

Result<int> run_migrate(const MigrateFlags& flags) {
  if (flags.profiles.empty()) return fail("C004", "which profile? give its file");
  if (flags.in.binary.empty()) return fail("C004", "which binary is it of? give --from");
  if (flags.new_binary.empty()) return fail("C004", "which binary is it for? give --to");
  const auto min_strength = parse_strength(flags.min_strength);
  if (!min_strength || *min_strength == Strength::kNone)
    return fail("C003", "--min-strength takes exact, strong, fair or weak, not '{}'",
                flags.min_strength);
  TRY(const MatchOptions options, flags.how.options());
  TRY(const std::string format, profile_out_format(flags.out));
  if (!flags.out.output.empty()) TRY_VOID(OutputFile::check(flags.out.output, flags.out.force));
  Progress progress(migrate_stages(), seconds_to_read({flags.in.binary, flags.new_binary}));
  const WorkSink work = progress.sink();
  work(kReadingBinaries, 0);
  TRY(const ProfiledBinary old_binary, ProfiledBinary::open(flags.in.binary, flags.how.binaries()));
  TRY(LoadedProfile profile, load_profile(old_binary, flags.profiles[0], flags.in));
  work(kReadingBinaries, 0.5);
  TRY(const ProfiledBinary new_binary,
      ProfiledBinary::open(flags.new_binary, flags.how.binaries()));
  const BinaryShape old_shape = BinaryShape::make(old_binary.code);
  const BinaryShape new_shape = BinaryShape::make(new_binary.code);
  const MatchState matches = match_binaries(old_shape, new_shape, options, work);
  work(kCarryingOver, kUnknownShare);
  const Migration migration =
      migrate_counts(old_shape, new_shape, matches, profile.counts,
                     {.min_strength = *min_strength, .infer = !flags.no_inference});
  progress.finish();
  std::vector<ProfileSummary::Input> inputs;
  inputs.push_back(std::move(profile.facts));
  TRY_VOID(save_profile(new_binary, migration.counts, std::move(inputs), format, flags.out,
                        migration.carried));
  return kExitSame;
}

}  // namespace

Action setup_profile_migrate(FlagSet& app) {
  const auto flags = std::make_shared<MigrateFlags>();
  app.add_option("profile", flags->profiles, "a profile of the old binary, or a recording")
      ->expected(1);
  app.add_option("--from", flags->in.binary, "the old binary, which the profile is of")
      ->type_name("FILE");
  app.add_option("--to", flags->new_binary, "the new binary, which the profile is for")
      ->type_name("FILE");
  app.add_option("--min-strength", flags->min_strength,
                 "carry over by matches that are at least exact, strong, fair or weak")
      ->type_name("STRENGTH")
      ->words({"exact", "strong", "fair", "weak"});
  app.add_flag("--no-inference", flags->no_inference,
               "leave counts unknown that follow from others only");
  add_profile_format_flags(app, flags->in);
  add_profile_out_flags(app, flags->out);
  flags->how.declare(app);
  return [flags](const Words&) { return run_migrate(*flags); };
}

}  // namespace twinrun
