// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "profile/address_profile.h"
#include "profile/bolt_names.h"
#include "program/module_code.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace twinrun {

enum class ProfileFormat : uint8_t { kCallgrind, kFdata, kPreaggregated, kPerfScript, kAutofdo };

/// "callgrind", "fdata", "preagg", "perf-script", "autofdo".
std::string_view profile_format_name(ProfileFormat format);
std::optional<ProfileFormat> parse_profile_format(std::string_view name);

/// By the first lines; nothing when they look like none of the formats.
std::optional<ProfileFormat> detect_profile_format(std::string_view text);

/// The binary that a profile is read for.
struct ProfileSubject {
  const ModuleCode& binary;
  const BoltNames& names;
  std::string object;  // how the profile calls it; empty: as its file is called

  /// Whether the profile means the binary by that path: the same one, or one with the same last
  /// component.
  [[nodiscard]] bool is_named(std::string_view path) const;
};

/// What the profile tells of the binary. The text is untrusted: F002 with the number of the line
/// that is malformed, F003 when the profile lacks what is needed, F005 when it tells nothing of
/// this binary.
Result<AddressProfile> read_profile(std::string_view text, ProfileFormat format,
                                    const ProfileSubject& subject);

Result<AddressProfile> read_callgrind(std::string_view text, const ProfileSubject& subject);
Result<AddressProfile> read_fdata(std::string_view text, const ProfileSubject& subject);
Result<AddressProfile> read_preaggregated(std::string_view text, const ProfileSubject& subject);
Result<AddressProfile> read_perf_script(std::string_view text, const ProfileSubject& subject);
Result<AddressProfile> read_autofdo(std::string_view text);

}  // namespace twinrun
