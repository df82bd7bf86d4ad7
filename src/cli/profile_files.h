// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "cli/flags.h"
#include "profile/bolt_names.h"
#include "profile/code_counts.h"
#include "program/module_code.h"
#include "report/profile.h"

#include <string>
#include <vector>

namespace twinrun {

/// The flags of all parts of `profile` that read profiles.
struct ProfileInFlags {
  std::string binary;
  std::string format;  // empty: found out
  std::string object;
};
void add_profile_in_flags(FlagSet& app, ProfileInFlags& flags);
/// Without --binary.
void add_profile_format_flags(FlagSet& app, ProfileInFlags& flags);

/// The flags of those that write one.
struct ProfileOutFlags {
  std::string output;  // empty: standard output
  std::string format;  // empty: by the name of the output
  bool force = false;
  bool json = false;
};
void add_profile_out_flags(FlagSet& app, ProfileOutFlags& flags);

/// A binary, with the names that profiles have for its functions.
struct ProfiledBinary {
  ModuleCode code;
  BoltNames names;

  static Result<ProfiledBinary> open(const std::string& path);
  static Result<ProfiledBinary> open(const std::string& path, const ModuleCode::Options& options);
};

/// A profile of the binary as counts of its code.
struct LoadedProfile {
  CodeCounts counts;
  ProfileSummary::Input facts;
};
/// `path` is a file in one of the formats, or a recording by its name or path.
Result<LoadedProfile> load_profile(const ProfiledBinary& binary, const std::string& path,
                                   const ProfileInFlags& flags);

/// The format that the flags ask for; C003 and C004 when they do not tell.
Result<std::string> profile_out_format(const ProfileOutFlags& flags);

/// Writes the counts, and when that goes into a file, what was done to standard output. The format
/// is one of profile_out_format.
Result<void> save_profile(const ProfiledBinary& binary, const CodeCounts& counts,
                          std::vector<ProfileSummary::Input> inputs, const std::string& format,
                          const ProfileOutFlags& flags,
                          const std::optional<CarriedCounts>& carried = std::nullopt);

}  // namespace twinrun
