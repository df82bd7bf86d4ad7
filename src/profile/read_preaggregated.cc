// SPDX-License-Identifier: MIT
// What perf2bolt takes when somebody else has added up the samples:
//   B from to count mispredicts     a branch
//   F first last count              executed in a row; f and r the same, entered from outside
//   T from to last count            a branch and what was executed up to the next; R from a return
//   S address count                 a sample
//   E name                          the event of the lines behind it
// An address is hexadecimal, with the build id of another object and a colon before it, or X:.
#include "base/text.h"
#include "profile/profile_text.h"
#include "profile/read_profile.h"

#include <array>

namespace twinrun {
namespace {

class PreaggregatedReader {
 public:
  PreaggregatedReader(std::string_view text, const ProfileSubject& subject)
      : lines_(text), build_id_(hex_text(subject.binary.build_id())) {}

  Result<AddressProfile> run() {
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (ProfileWords(line).at_end() || line.starts_with('#') || line.starts_with("E ")) continue;
      ProfileWords words(line);
      const std::string_view kind = words.next();
      if (kind == "B") {
        TRY_VOID(fields<2, 2>(words));
        out_.add_branch(places_[0], places_[1], counts_[0], counts_[1]);
      } else if (kind == "F" || kind == "f" || kind == "r") {
        TRY_VOID(fields<2, 1>(words));
        range(places_[0], places_[1]);
      } else if (kind == "T" || kind == "R") {
        TRY_VOID(fields<3, 1>(words));
        out_.add_branch(places_[0], places_[1], counts_[0]);
        range(places_[1], places_[2]);
      } else if (kind == "S") {
        TRY_VOID(fields<1, 1>(words));
        if (places_[0] != AddressProfile::kElsewhere) out_.add_hits(places_[0], counts_[0]);
      } else {
        return lines_.bad("{} is no kind of line (B, F, f, r, T, R, S or E)", excerpt(kind));
      }
    }
    out_.normalize();
    return std::move(out_);
  }

 private:
  void range(uint64_t first, uint64_t last) {
    if (first != AddressProfile::kElsewhere && last != AddressProfile::kElsewhere)
      out_.add_range(first, last, counts_[0]);
  }

  template <size_t kPlaces, size_t kCounts>
  Result<void> fields(ProfileWords& words) {
    for (size_t i = 0; i < kPlaces; ++i) {
      const std::string_view word = words.next();
      const size_t colon = word.find(':');
      const std::string_view object =
          colon == std::string_view::npos ? std::string_view() : word.substr(0, colon);
      const auto offset =
          parse_hex(colon == std::string_view::npos ? word : word.substr(colon + 1));
      if (!offset) return lines_.bad("{} is no hexadecimal address", excerpt(word));
      const bool is_ours = object.empty() || (!build_id_.empty() && object == build_id_);
      places_[i] = is_ours ? *offset : AddressProfile::kElsewhere;
    }
    for (size_t i = 0; i < kCounts; ++i) {
      const std::string_view word = words.next();
      const auto count = parse_decimal(word);
      if (!count) return lines_.bad("{} is no count", excerpt(word));
      counts_[i] = *count;
    }
    if (const std::string_view more = words.next(); !more.empty())
      return lines_.bad("{} is too much", excerpt(more));
    return {};
  }

  ProfileLines lines_;
  std::string build_id_;
  AddressProfile out_;
  std::array<uint64_t, 3> places_{};
  std::array<uint64_t, 2> counts_{};
};

}  // namespace

Result<AddressProfile> read_preaggregated(std::string_view text, const ProfileSubject& subject) {
  return PreaggregatedReader(text, subject).run();
}

}  // namespace twinrun
