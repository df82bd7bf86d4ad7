// SPDX-License-Identifier: MIT
#include "paths/path_pattern.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace twinrun {
namespace {

constexpr size_t kMostPositions = 1000;
constexpr int kMostDepth = 100;

/// What Glushkov's construction needs to know of a part.
struct PatternPart {
  bool can_be_empty = true;
  std::vector<uint32_t> first;
  std::vector<uint32_t> last;
};

void add_all(std::vector<uint32_t>& to, const std::vector<uint32_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
  std::ranges::sort(to);
  to.erase(std::ranges::unique(to).begin(), to.end());
}

std::optional<uint64_t> number_of(std::string_view text, int base) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<PathPlace> place_of(std::string_view text) {
  PathPlace place;
  place.text = text;
  // A file can have slashes: what stands in front of one is a function when a block, an address or
  // a line of no file is behind it.
  if (const size_t slash = text.rfind('/'); slash != std::string_view::npos && slash > 0) {
    const std::string_view behind = text.substr(slash + 1);
    const bool is_line = behind.find(':') != std::string_view::npos;
    if (!is_line || behind.starts_with(':')) {
      place.function = text.substr(0, slash);
      text = behind;
    }
  }
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    const auto line = number_of(text.substr(colon + 1), 10);
    if (!line || *line == 0 || *line > ~uint32_t{0}) return std::nullopt;
    place.file = text.substr(0, colon);
    place.number = *line;
    return place;
  }
  const bool is_address = text.starts_with("0x");
  if (!is_address && !text.starts_with('b')) return std::nullopt;
  place.kind = is_address ? PathPlace::Kind::kAddress : PathPlace::Kind::kBlock;
  const auto number = is_address ? number_of(text.substr(2), 16) : number_of(text.substr(1), 10);
  if (!number) return std::nullopt;
  place.number = *number;
  return place;
}

class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  Result<PathPattern> parse() {
    TRY(PatternPart all, alternatives());
    if (at_ < text_.size()) return wrong("is not expected here");
    if (all.can_be_empty) {
      Error error{"Q001", fmt::format("every run has the path '{}'", text_), {}, {}};
      return std::unexpected(
          std::move(error).with_help("name at least one place that must be there"));
    }
    // It would end everywhere behind what is in front of it.
    for (const uint32_t position : all.last)
      if (out_.positions[position] == PathPattern::kAnything)
        return fail("Q001", "the path '{}' can end with '...', which says nothing", text_);
    out_.first = std::move(all.first);
    out_.last = std::move(all.last);
    return std::move(out_);
  }

 private:
  std::unexpected<Error> wrong(std::string_view what) {
    skip_blanks();
    const bool ends = at_ == text_.size();
    Error error{"Q001",
                ends ? fmt::format("the path '{}' ends too early", text_)
                     : fmt::format("'{}' {} in the path '{}'", word(at_), what, text_),
                {},
                {}};
    return std::unexpected(std::move(error).with_help(
        "a path is like ':33 (:34|:36)* :37', 'b4 b7', '0x1163 ... 0x1180'"));
  }
  static bool is_sign(char c) {
    return c == '(' || c == ')' || c == '|' || c == '*' || c == '+' || c == '?';
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == ','; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  /// The word or sign that begins there.
  [[nodiscard]] std::string_view word(size_t at) const {
    if (text_.substr(at).starts_with("...")) return text_.substr(at, 3);
    size_t end = at;
    while (end < text_.size() && !is_sign(text_[end]) && !is_blank(text_[end])) ++end;
    return text_.substr(at, std::max<size_t>(end - at, 1));
  }
  bool take(char sign) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }

  void connect(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) {
    for (const uint32_t position : from) add_all(out_.follow[position], to);
  }

  Result<PatternPart> alternatives() {
    if (++depth_ > kMostDepth) return fail("Q001", "the path has more than {} levels", kMostDepth);
    TRY(PatternPart all, sequence());
    while (take('|')) {
      TRY(const PatternPart other, sequence());
      all.can_be_empty = all.can_be_empty || other.can_be_empty;
      add_all(all.first, other.first);
      add_all(all.last, other.last);
    }
    --depth_;
    return all;
  }

  Result<PatternPart> sequence() {
    PatternPart all;
    for (bool any = false;; any = true) {
      skip_blanks();
      if (at_ == text_.size() || text_[at_] == '|' || text_[at_] == ')') {
        if (!any) return wrong("is not expected here");
        return all;
      }
      TRY(const PatternPart next, repeated());
      connect(all.last, next.first);
      if (all.can_be_empty) add_all(all.first, next.first);
      if (next.can_be_empty) {
        add_all(all.last, next.last);
      } else {
        all.last = next.last;
      }
      all.can_be_empty = all.can_be_empty && next.can_be_empty;
    }
  }

  Result<PatternPart> repeated() {
    TRY(PatternPart part, single());
    for (;;) {
      const bool star = take('*');
      const bool plus = !star && take('+');
      if (!star && !plus && !take('?')) return part;
      if (star || plus) connect(part.last, part.first);
      if (!plus) part.can_be_empty = true;
    }
  }

  Result<PatternPart> single() {
    if (take('(')) {
      TRY(PatternPart inside, alternatives());
      if (!take(')')) return wrong("is not expected here");
      return inside;
    }
    const std::string_view text = word(at_);
    const bool is_gap = text == "...";
    std::optional<PathPlace> place;
    if (!is_gap) {
      place = place_of(text);
      if (!place) return wrong("is no place");
    }
    at_ += text.size();
    if (out_.positions.size() == kMostPositions)
      return fail("Q001", "the path has more than {} places", kMostPositions);
    const auto position = static_cast<uint32_t>(out_.positions.size());
    out_.positions.push_back(is_gap ? PathPattern::kAnything
                                    : static_cast<uint32_t>(out_.places.size()));
    if (place) out_.places.push_back(std::move(*place));
    out_.follow.emplace_back();
    if (is_gap) out_.follow.back().push_back(position);
    return PatternPart{is_gap, {position}, {position}};
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  PathPattern out_;
};

}  // namespace

bool PathPattern::is_plain() const {
  if (positions.size() != places.size() || first != std::vector<uint32_t>{0}) return false;
  for (uint32_t i = 0; i + 1 < positions.size(); ++i)
    if (follow[i] != std::vector<uint32_t>{i + 1}) return false;
  return follow.back().empty() &&
         last == std::vector<uint32_t>{static_cast<uint32_t>(positions.size()) - 1};
}

PathPattern PathPattern::reversed() const {
  PathPattern out{places, positions, last, first, {}};
  out.follow.resize(positions.size());
  for (uint32_t from = 0; from < follow.size(); ++from)
    for (const uint32_t to : follow[from]) out.follow[to].push_back(from);
  return out;
}

Result<PathPattern> parse_path(std::string_view text) { return PatternParser(text).parse(); }

}  // namespace twinrun
