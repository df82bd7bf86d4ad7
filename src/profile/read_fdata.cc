// SPDX-License-Identifier: MIT
// BOLT's own profiles. A line is "FROM TO MISPREDICTS COUNT" where each place is "KIND NAME
// OFFSET": kind 0 is a place in another object, 1 a global symbol, 2 a local one; 3 to 5 are the
// same of accesses to memory. After a first line "no_lbr" the lines are samples, "PLACE COUNT". A
// blank in a name has a backslash before it.
#include "profile/profile_text.h"
#include "profile/read_profile.h"

namespace twinrun {
namespace {

struct FdataPlace {
  bool is_memory = false;
  bool is_known = false;  // else its name is not one of the binary
  uint64_t address = AddressProfile::kElsewhere;
};

// Takes a name with its escapes off the rest of a line.
std::string take_name(std::string_view& rest) {
  std::string out;
  size_t i = 0;
  while (i < rest.size() && rest[i] == ' ') ++i;
  for (; i < rest.size() && rest[i] != ' '; ++i) {
    if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
    out += rest[i];
  }
  rest.remove_prefix(i);
  return out;
}

std::string_view take_word(std::string_view& rest) {
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(word.size());
  return word;
}

class FdataReader {
 public:
  FdataReader(std::string_view text, const ProfileSubject& subject)
      : lines_(text), subject_(subject) {}

  Result<AddressProfile> run() {
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (line.empty()) continue;
      if (line == "no_lbr" || line.starts_with("no_lbr ")) {
        only_samples_ = true;
      } else if (line == "boltedcollection") {
        return fail("F003", "the profile was collected from a binary that BOLT had rewritten");
      } else if (only_samples_) {
        TRY_VOID(sample(line));
      } else {
        TRY_VOID(branch(line));
      }
    }
    out_.normalize();
    return std::move(out_);
  }

 private:
  Result<FdataPlace> place(std::string_view& rest) {
    const std::string_view kind = take_word(rest);
    if (kind.size() != 1 || kind[0] < '0' || kind[0] > '5')
      return lines_.bad("{} is no kind of place (0 to 5)", excerpt(kind));
    FdataPlace out;
    out.is_memory = kind[0] >= '3';
    const bool is_symbol = (kind[0] - '0') % 3 != 0;
    const std::string name = take_name(rest);
    const std::string_view digits = take_word(rest);
    const auto offset = parse_hex(digits);
    if (name.empty()) return lines_.bad("the name of a place is missing");
    if (!offset) return lines_.bad("{} is no hexadecimal offset", excerpt(digits));
    if (!is_symbol) {
      out.is_known = true;
      return out;
    }
    auto address = subject_.names.address(name);
    if (!address && kind[0] == '2') address = subject_.names.address(name + "/1");
    out.is_known = address.has_value();
    if (address) out.address = *address + *offset;
    return out;
  }

  Result<uint64_t> number(std::string_view& rest, std::string_view what) {
    const std::string_view digits = take_word(rest);
    const auto value = parse_decimal(digits);
    if (!value) return lines_.bad("{} is no {}", excerpt(digits), what);
    return *value;
  }

  Result<void> at_end(std::string_view rest) {
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (!rest.empty()) return lines_.bad("{} is too much", excerpt(rest));
    return {};
  }

  Result<void> sample(std::string_view line) {
    TRY(const FdataPlace at, place(line));
    TRY(const uint64_t count, number(line, "count"));
    TRY_VOID(at_end(line));
    if (!at.is_known) out_.unresolved = add_counts(out_.unresolved, count);
    if (at.address != AddressProfile::kElsewhere && !at.is_memory) out_.add_hits(at.address, count);
    return {};
  }

  Result<void> branch(std::string_view line) {
    TRY(const FdataPlace from, place(line));
    TRY(const FdataPlace to, place(line));
    if (from.is_memory) {  // who accessed what: no control flow
      TRY(const uint64_t accesses, number(line, "count"));
      static_cast<void>(accesses);
      return at_end(line);
    }
    TRY(const uint64_t mispredicts, number(line, "number of mispredictions"));
    TRY(const uint64_t count, number(line, "count"));
    TRY_VOID(at_end(line));
    if (from.is_known && to.is_known)
      out_.add_branch(from.address, to.address, count, mispredicts);
    else
      out_.unresolved = add_counts(out_.unresolved, count);
    return {};
  }

  ProfileLines lines_;
  const ProfileSubject& subject_;
  AddressProfile out_;
  bool only_samples_ = false;
};

}  // namespace

Result<AddressProfile> read_fdata(std::string_view text, const ProfileSubject& subject) {
  return FdataReader(text, subject).run();
}

}  // namespace twinrun
