// SPDX-License-Identifier: MIT
// Profiles of Valgrind's callgrind: every execution of every instruction was counted.
//
// A line "ob=FILE" tells the object that the lines behind it are of. A line that begins with a
// position has the costs of an instruction there, the first position being its address. A line
// "calls=", "jump=" or "jcnd=" has a count and the position of the target; the line behind it tells
// where the call or jump is, and its costs (of a call, those of the callee) are not of the
// instruction itself. "jcnd=TAKEN/EXECUTED TARGET" is written only for jumps that were taken. A
// string instruction that repeats shows as a jump to itself.
//
// Positions can be relative to those of the line before ("+3", "-2", "*"), and names can be numbers
// that an earlier line gave a meaning to ("(7) main", later "(7)"). A file can have several parts,
// one behind the other.
#include "profile/profile_text.h"
#include "profile/read_profile.h"

#include <array>
#include <set>
#include <unordered_map>

namespace twinrun {
namespace {

// The loader's: when a stub is used for the first time, callgrind has two calls for one.
constexpr std::string_view kResolver = "_dl_runtime_resolve";
// What twinrun adds to its own files. Callgrind does not tell that it collected jumps, but a
// program that executes none would be a strange one.
constexpr std::string_view kJumpsMark = "desc: jumps: all";
constexpr std::string_view kBuildIdMark = "desc: build id: ";
constexpr std::string_view kSampledMark = "desc: counts: sampled";

class CallgrindReader {
 public:
  CallgrindReader(std::string_view text, const ProfileSubject& subject)
      : lines_(text), subject_(subject) {}

  Result<AddressProfile> run() {
    out_.is_exact = true;
    out_.has_every_instruction = true;
    while (lines_.next()) TRY_VOID(read_line(lines_.line()));
    if (has_pending()) return lines_.bad("the line with the place of a call or jump is missing");
    if (!is_found_) return nothing_found();
    out_.normalize();
    return std::move(out_);
  }

 private:
  enum class Pending : uint8_t { kNone, kCall, kJump };

  [[nodiscard]] bool has_pending() const { return pending_ != Pending::kNone; }

  Result<void> read_line(std::string_view line) {
    if (line.empty() || line.starts_with('#')) return {};
    const char first = line.front();
    if ((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*')
      return cost_line(line);
    if (has_pending()) return lines_.bad("the place of a call or jump is missing");
    const size_t end = line.find_first_of(":=");
    if (end == std::string_view::npos)
      return lines_.bad("{} is no line of callgrind", excerpt(line));
    const std::string_view key = line.substr(0, end);
    if (line[end] == ':') return header(key, line);
    return assignment(key, line.substr(end + 1));
  }

  Result<void> header(std::string_view key, std::string_view line) {
    const std::string_view value = line.substr(key.size() + 1);
    if (line == kSampledMark) out_.is_exact = false;
    if (line == kJumpsMark) out_.has_every_branch = true;
    if (line.starts_with(kBuildIdMark)) out_.build_id = line.substr(kBuildIdMark.size());
    if (key == "positions") {
      ProfileWords words(value);
      positions_ = 0;
      bool has_addresses = false;
      for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (positions_ == position_.size()) return lines_.bad("too many positions");
        if (word == "instr") {
          has_addresses = true;
          if (positions_ != 0) return lines_.bad("instr is not the first position");
        }
        ++positions_;
      }
      if (!has_addresses) return no_addresses();
      has_positions_ = true;
      position_ = {};
    } else if (key == "events") {
      ProfileWords words(value);
      instructions_event_.reset();
      size_t at = 0;
      for (std::string_view word = words.next(); !word.empty(); word = words.next(), ++at)
        if (word == "Ir") instructions_event_ = at;
      if (!instructions_event_)
        return fail("F003", "line {}: the profile has no event Ir", lines_.number());
    } else if (key == "part") {
      is_ours_ = false;
      callee_is_ours_.reset();
    }
    return {};
  }

  Result<void> assignment(std::string_view key, std::string_view value) {
    if (key == "ob" || key == "cob") {
      TRY(const std::string_view name, compressed_name(value, names_));
      const bool ours = subject_.is_named(name);
      if (key == "ob") {
        is_ours_ = ours;
        is_found_ |= ours;
        if (objects_.size() < kObjectsTold) objects_.emplace(name);
      } else {
        callee_is_ours_ = ours;
      }
      return {};
    }
    if (key == "cfn") {
      TRY(const std::string_view name, compressed_name(value, functions_));
      callee_resolves_ = name.starts_with(kResolver);
      return {};
    }
    if (key == "fn") {
      TRY(const std::string_view name, compressed_name(value, functions_));
      static_cast<void>(name);
      return {};
    }
    if (key == "calls") return target(value, Pending::kCall);
    if (key == "jump" || key == "jcnd") {
      out_.has_every_branch = true;
      return target(value, Pending::kJump);
    }
    // Names of functions and files, which the addresses tell too.
    return {};
  }

  // "(3) /bin/prog", "(3)" or "/bin/prog".
  using Names = std::unordered_map<uint64_t, std::string_view>;
  Result<std::string_view> compressed_name(std::string_view value, Names& known_names) {
    if (!value.starts_with('(')) return value;
    const size_t close = value.find(')');
    const auto id =
        close == std::string_view::npos ? std::nullopt : parse_decimal(value.substr(1, close - 1));
    if (!id) return value;  // such as "(below main)"
    std::string_view name = value.substr(close + 1);
    while (name.starts_with(' ')) name.remove_prefix(1);
    if (!name.empty()) return known_names[*id] = name;
    const auto known = known_names.find(*id);
    if (known == known_names.end()) return lines_.bad("({}) was given no name", *id);
    return known->second;
  }

  // "COUNT TARGET" or "TAKEN/EXECUTED TARGET".
  Result<void> target(std::string_view value, Pending kind) {
    if (!has_positions_) return no_addresses();
    ProfileWords words(value);
    const std::string_view counts = words.next();
    const auto count = parse_decimal(counts.substr(0, counts.find('/')));
    if (!count) return lines_.bad("{} is no count", excerpt(counts));
    std::array<uint64_t, 2> at = position_;
    TRY_VOID(positions(words, at));
    pending_ = kind;
    pending_count_ = *count;
    pending_target_ = at[0];
    return {};
  }

  // Replaces the positions of `at`, which are those of the line before.
  Result<void> positions(ProfileWords& words, std::array<uint64_t, 2>& at) {
    for (size_t i = 0; i < positions_; ++i) {
      const std::string_view word = words.next();
      if (word == "*") continue;
      const bool plus = word.starts_with('+');
      const bool minus = word.starts_with('-');
      const std::string_view digits = plus || minus ? word.substr(1) : word;
      const auto number = digits.starts_with("0x") ? parse_hex(digits) : parse_decimal(digits);
      if (!number) return lines_.bad("{} is no position", excerpt(word));
      at[i] = plus ? at[i] + *number : minus ? at[i] - *number : *number;
    }
    return {};
  }

  Result<void> cost_line(std::string_view line) {
    if (!has_positions_) return no_addresses();
    if (!instructions_event_) return lines_.bad("there was no line events: before");
    ProfileWords words(line);
    TRY_VOID(positions(words, position_));
    std::optional<uint64_t> executed;
    for (size_t i = 0;; ++i) {
      const std::string_view word = words.next();
      if (word.empty()) break;
      const auto cost = parse_decimal(word);
      if (!cost) return lines_.bad("{} is no cost", excerpt(word));
      if (i == *instructions_event_) executed = cost;
    }
    const Pending kind = std::exchange(pending_, Pending::kNone);
    const bool callee_is_ours =
        kind == Pending::kCall ? std::exchange(callee_is_ours_, {}).value_or(is_ours_) : is_ours_;
    if (kind == Pending::kCall && std::exchange(callee_resolves_, false)) return {};
    if (!is_ours_ && !callee_is_ours) return {};
    if (kind == Pending::kNone)
      out_.add_hits(position_[0], executed.value_or(0));
    else
      out_.add_branch(is_ours_ ? position_[0] : AddressProfile::kElsewhere,
                      callee_is_ours ? pending_target_ : AddressProfile::kElsewhere,
                      pending_count_);
    return {};
  }

  static std::unexpected<Error> no_addresses() {
    return std::unexpected(Error{"F003",
                                 "the profile has no addresses of instructions",
                                 "run callgrind with --dump-instr=yes --collect-jumps=yes",
                                 {}});
  }

  [[nodiscard]] std::unexpected<Error> nothing_found() const {
    std::string told;
    for (const std::string& object : objects_) told += (told.empty() ? "" : ", ") + object;
    return std::unexpected(
        Error{"F005",
              fmt::format("the profile tells nothing of {}",
                          subject_.object.empty() ? subject_.binary.path() : subject_.object),
              told.empty() ? "it names no objects"
                           : fmt::format("it is of {}; --object tells which is meant", told),
              {}});
  }

  static constexpr size_t kObjectsTold = 8;

  ProfileLines lines_;
  const ProfileSubject& subject_;
  AddressProfile out_;
  Names names_;  // of objects
  Names functions_;
  std::set<std::string> objects_;
  bool is_found_ = false;
  bool is_ours_ = false;
  std::optional<bool> callee_is_ours_;
  bool callee_resolves_ = false;
  bool has_positions_ = false;
  size_t positions_ = 0;
  std::array<uint64_t, 2> position_{};  // of the line before
  std::optional<size_t> instructions_event_;
  Pending pending_ = Pending::kNone;
  uint64_t pending_count_ = 0;
  uint64_t pending_target_ = 0;
};

}  // namespace

Result<AddressProfile> read_callgrind(std::string_view text, const ProfileSubject& subject) {
  return CallgrindReader(text, subject).run();
}

}  // namespace twinrun
