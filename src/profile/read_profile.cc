// SPDX-License-Identifier: MIT
#include "profile/read_profile.h"

#include "base/text.h"
#include "profile/profile_text.h"

#include <algorithm>
#include <array>

namespace twinrun {
namespace {

constexpr std::array<std::string_view, 5> kFormatNames{"callgrind", "fdata", "preagg",
                                                       "perf-script", "autofdo"};

bool looks_like_callgrind(std::string_view line) {
  return line.starts_with("# callgrind format") || line.starts_with("events:") ||
         line.starts_with("positions:") || line.starts_with("creator: callgrind");
}

bool looks_like_fdata(std::string_view line) {
  if (line == "boltedcollection" || line == "no_lbr" || line.starts_with("no_lbr ")) return true;
  ProfileWords words(line);
  const std::string_view flag = words.next();
  if (flag.size() != 1 || flag[0] < '0' || flag[0] > '5') return false;
  return !words.next().empty() && parse_hex(words.next()) && !words.at_end();
}

bool looks_like_preaggregated(std::string_view line) {
  if (line.size() < 3 || line[1] != ' ') return false;
  if (line[0] == 'E') return true;
  if (std::string_view("BFfTRrS").find(line[0]) == std::string_view::npos) return false;
  std::string_view place = ProfileWords(line.substr(2)).next();
  return parse_hex(place.substr(place.find(':') + 1)).has_value();
}

bool looks_like_perf(std::string_view line) {
  if (line.find("PERF_RECORD_") != std::string_view::npos) return true;
  ProfileWords words(line);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word.starts_with("0x") && word.find('/') != std::string_view::npos) return true;
    if (word.size() > 1 && word.ends_with(':')) return true;
  }
  return parse_hex(ProfileWords(line).next()).has_value();
}

}  // namespace

std::string_view profile_format_name(ProfileFormat format) {
  return kFormatNames[static_cast<size_t>(format)];
}

std::optional<ProfileFormat> parse_profile_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormatNames, name);
  if (found == kFormatNames.end()) return std::nullopt;
  return static_cast<ProfileFormat>(found - kFormatNames.begin());
}

std::optional<ProfileFormat> detect_profile_format(std::string_view text) {
  constexpr uint64_t kLinesToLookAt = 64;
  std::optional<ProfileFormat> first;  // what the first line that is no comment looks like
  bool is_first = true;
  ProfileLines lines(text);
  while (lines.next() && lines.number() <= kLinesToLookAt) {
    const std::string_view line = lines.line();
    if (looks_like_callgrind(line)) return ProfileFormat::kCallgrind;
    if (!is_first || ProfileWords(line).at_end() || line.starts_with('#')) continue;
    is_first = false;
    if (looks_like_fdata(line))
      first = ProfileFormat::kFdata;
    else if (looks_like_preaggregated(line))
      first = ProfileFormat::kPreaggregated;
    else if (parse_decimal(line) && line.size() < 12)
      first = ProfileFormat::kAutofdo;
    else if (looks_like_perf(line))
      first = ProfileFormat::kPerfScript;
  }
  return first;
}

bool ProfileSubject::is_named(std::string_view path) const {
  const std::string_view wanted = object.empty() ? std::string_view(binary.path()) : object;
  return path == wanted || base_name(path) == base_name(wanted);
}

Result<AddressProfile> read_profile(std::string_view text, ProfileFormat format,
                                    const ProfileSubject& subject) {
  switch (format) {
    case ProfileFormat::kCallgrind: return read_callgrind(text, subject);
    case ProfileFormat::kFdata: return read_fdata(text, subject);
    case ProfileFormat::kPreaggregated: return read_preaggregated(text, subject);
    case ProfileFormat::kPerfScript: return read_perf_script(text, subject);
    case ProfileFormat::kAutofdo: break;
  }
  return read_autofdo(text);
}

}  // namespace twinrun
