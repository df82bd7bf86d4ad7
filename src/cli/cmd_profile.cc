// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/profile_files.h"
#include "cli/terminal.h"
#include "profile/merge_counts.h"
#include "profile/score.h"

#include <fmt/ranges.h>

#include <memory>

namespace twinrun {
namespace {

constexpr Command kProfileParts[] = {
    {"profile migrate", "carry a profile over to another build",
     "--from OLD --to NEW PROFILE [-o OUT]", Operand::kFile, VerbGroup::kBinaries,
     setup_profile_migrate},
    {"profile convert", "write a profile in another format", "--binary FILE PROFILE [-o OUT]",
     Operand::kFile, VerbGroup::kBinaries, setup_profile_convert},
    {"profile merge", "add profiles of one binary up", "--binary FILE PROFILE... [-o OUT]",
     Operand::kFile, VerbGroup::kBinaries, setup_profile_merge},
    {"profile score", "tell how near a profile comes to a fresh one", "--binary FILE PROFILE FRESH",
     Operand::kFile, VerbGroup::kBinaries, setup_profile_score},
};

struct ConvertFlags {
  ProfileInFlags in;
  ProfileOutFlags out;
  std::vector<std::string> profiles;
};

Result<int> run_convert(const ConvertFlags& flags) {
  TRY(const std::string format, profile_out_format(flags.out));
  if (!flags.out.output.empty()) TRY_VOID(OutputFile::check(flags.out.output, flags.out.force));
  TRY(const ProfiledBinary binary, ProfiledBinary::open(flags.in.binary));
  std::vector<CodeCounts> all;
  std::vector<ProfileSummary::Input> inputs;
  for (const std::string& path : flags.profiles) {
    TRY(LoadedProfile profile, load_profile(binary, path, flags.in));
    all.push_back(std::move(profile.counts));
    inputs.push_back(std::move(profile.facts));
  }
  const CodeCounts merged = all.size() == 1 ? std::move(all[0]) : merge_counts(all);
  TRY_VOID(save_profile(binary, merged, std::move(inputs), format, flags.out));
  return kExitSame;
}

struct ScoreFlags {
  ProfileInFlags in;
  std::vector<std::string> profiles;
  bool json = false;
};

Result<int> run_score(const ScoreFlags& flags) {
  if (flags.profiles.size() != 2)
    return fail("C004", "which profiles? give the one to judge and a fresh one");
  TRY(const ProfiledBinary binary, ProfiledBinary::open(flags.in.binary));
  TRY(const LoadedProfile profile, load_profile(binary, flags.profiles[0], flags.in));
  TRY(const LoadedProfile fresh, load_profile(binary, flags.profiles[1], flags.in));
  const ProfileScore score = score_counts(binary.code, profile.counts, fresh.counts);
  print_out(flags.json ? profile_score_json(score) : profile_score_text(score));
  return kExitSame;
}

}  // namespace

std::span<const Command> profile_parts() { return kProfileParts; }

Action setup_profile(FlagSet&) {
  return [](const Words&) -> Result<int> {
    std::vector<std::string_view> words;
    for (const Command& part : kProfileParts) words.push_back(part.word());
    return std::unexpected(
        Error{"C004",
              fmt::format("what is to be done? one of {}", fmt::join(words, ", ")),
              "twinrun help profile explains them",
              {}});
  };
}

Action setup_profile_convert(FlagSet& app) {
  const auto flags = std::make_shared<ConvertFlags>();
  app.add_option("profile", flags->profiles, "a profile, or a recording")->expected(1);
  add_profile_in_flags(app, flags->in);
  add_profile_out_flags(app, flags->out);
  return [flags](const Words&) -> Result<int> {
    if (flags->profiles.empty()) return fail("C004", "which profile? give its file");
    return run_convert(*flags);
  };
}

Action setup_profile_merge(FlagSet& app) {
  const auto flags = std::make_shared<ConvertFlags>();
  app.add_option("profiles", flags->profiles, "profiles, or recordings");
  add_profile_in_flags(app, flags->in);
  add_profile_out_flags(app, flags->out);
  return [flags](const Words&) -> Result<int> {
    if (flags->profiles.size() < 2) return fail("C004", "which profiles? give two or more");
    return run_convert(*flags);
  };
}

Action setup_profile_score(FlagSet& app) {
  const auto flags = std::make_shared<ScoreFlags>();
  app.add_option("profiles", flags->profiles, "the profile to judge, and a fresh one");
  add_profile_in_flags(app, flags->in);
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_score(*flags); };
}

}  // namespace twinrun
