// SPDX-License-Identifier: MIT
// Three lists, each behind its length: ranges "from-to:count", instructions "address:count" and
// branches "from->to:count", all addresses in hexadecimal.
#include "profile/profile_text.h"
#include "profile/read_profile.h"

#include <array>

namespace twinrun {
namespace {

struct CountedPlaces {
  std::array<uint64_t, 2> places{};
  uint64_t count = 0;
};

// "PLACE<between>PLACE:COUNT", or with nothing between "PLACE:COUNT".
std::optional<CountedPlaces> parse_counted(std::string_view text, std::string_view between) {
  CountedPlaces out;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto count = parse_decimal(text.substr(colon + 1));
  std::string_view places = text.substr(0, colon);
  if (!between.empty()) {
    const size_t cut = places.find(between);
    if (cut == std::string_view::npos) return std::nullopt;
    const auto second = parse_hex(places.substr(cut + between.size()));
    if (!second) return std::nullopt;
    out.places[1] = *second;
    places = places.substr(0, cut);
  }
  const auto first = parse_hex(places);
  if (!first || !count) return std::nullopt;
  out.places[0] = *first;
  out.count = *count;
  return out;
}

// The next line that is neither empty nor a comment.
bool next_entry(ProfileLines& lines) {
  while (lines.next())
    if (!lines.line().empty() && !lines.line().starts_with("//") && !lines.line().starts_with('#'))
      return true;
  return false;
}

template <typename Add>
Result<void> read_list(ProfileLines& lines, std::string_view what, std::string_view between,
                       Add add) {
  if (!next_entry(lines)) return lines.bad("the number of {} is missing behind it", what);
  const auto length = parse_decimal(lines.line());
  if (!length) return lines.bad("{} is no number of {}", excerpt(lines.line()), what);
  for (uint64_t i = 0; i < *length; ++i) {
    if (!next_entry(lines)) return lines.bad("only {} of {} {} follow", i, *length, what);
    const auto entry = parse_counted(lines.line(), between);
    if (!entry)
      return lines.bad("{} is not of the form {}", excerpt(lines.line()),
                       between.empty() ? "ADDRESS:COUNT" : fmt::format("FROM{}TO:COUNT", between));
    add(*entry);
  }
  return {};
}

}  // namespace

Result<AddressProfile> read_autofdo(std::string_view text) {
  AddressProfile out;
  ProfileLines lines(text);
  TRY_VOID(read_list(lines, "ranges", "-", [&](const CountedPlaces& e) {
    out.add_range(e.places[0], e.places[1], e.count);
  }));
  TRY_VOID(read_list(lines, "addresses", "",
                     [&](const CountedPlaces& e) { out.add_hits(e.places[0], e.count); }));
  TRY_VOID(read_list(lines, "branches", "->", [&](const CountedPlaces& e) {
    out.add_branch(e.places[0], e.places[1], e.count);
  }));
  if (next_entry(lines)) return lines.bad("{} is behind the branches", excerpt(lines.line()));
  out.normalize();
  return out;
}

}  // namespace twinrun
