// SPDX-License-Identifier: MIT
// The name of a piece of memory. Objects are searched in levels: level 0 are the variables in
// scope, level n + 1 what the pointers inside the objects of level n point to. In each object the
// path to the wanted bytes follows from the types alone (offsets of members, sizes of elements), so
// the cost is in the pointers: at most kMostPointers are read. A name of a lower level wins, since
// it says more about the program; on one level the shorter one, and of those the first found, which
// is the one of the innermost scope.
//
// A pointer may point to an array, which its type does not say. p[i] is tried for a few pages
// behind it, but only when no object of a known size has the bytes.
#include "program/naming.h"

#include "program/value_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <vector>

namespace twinrun {
namespace {

constexpr size_t kMostPointers = 4096;
constexpr size_t kMostPointersPerObject = 64;
constexpr size_t kMostElements = 16;  // of an array, searched for pointers
constexpr int kMostNesting = 16;
constexpr int kLevels = 2;
constexpr uint64_t kMostBehindPointer = 4096;

// An object on the way: `text` is its name; of what a pointer leads to, the pointer's name.
struct Place {
  std::string text;
  Location location;
  const Type* type = nullptr;
  bool is_pointee = false;  // named through a pointer: "*text", "text->member"
  uint32_t frame = 0;       // that its variable belongs to
};

std::string member_text(const Place& place, const std::string& name) {
  if (!place.is_pointee) return place.text + "." + name;
  return (place.text[0] == '*' ? "(" + place.text + ")" : place.text) + "->" + name;
}

std::string whole_text(const Place& place) {
  return place.is_pointee ? "*" + place.text : place.text;
}

std::string indexed_text(const Place& place, uint64_t index) {
  const std::string text = whole_text(place);
  return fmt::format("{}[{}]", text[0] == '*' ? "(" + text + ")" : text, index);
}

// The name of `size` bytes at `offset` of a place.
std::optional<std::string> path_to(DebugInfo& info, const Place& place, uint64_t offset,
                                   uint64_t size, int nesting);

std::optional<std::string> path_in_record(DebugInfo& info, const Place& place, const Type& record,
                                          uint64_t offset, uint64_t size, int nesting) {
  std::optional<std::string> found;
  for (const Member& member : record.members) {
    const uint64_t width = size_of(*member.type).value_or(0);
    if (!member.offset || member.bit_size != 0 || offset < *member.offset ||
        offset - *member.offset >= width)
      continue;
    Place inner = place;
    inner.type = member.type;
    // Anonymous members and bases lend their members to the record.
    if (!member.name.empty()) {
      inner.text = member_text(place, member.name);
      inner.is_pointee = false;
    }
    const Type& bare = stripped(*member.type);
    if (member.name.empty() && (!is_record(bare) || nesting > kMostNesting)) continue;
    auto text = member.name.empty()
                    ? path_in_record(info, inner, bare, offset - *member.offset, size, nesting + 1)
                    : path_to(info, inner, offset - *member.offset, size, nesting + 1);
    if (!text) continue;
    // Two members of a union have these bytes: which one is meant is not known.
    if (found && *found != *text) return std::nullopt;
    found = std::move(text);
  }
  if (found) return found;
  // Bit-fields share bytes: a name only when one of them has all of these bytes.
  const Member* only = nullptr;
  for (const Member& member : record.members) {
    if (!member.offset || member.bit_size == 0) continue;
    const uint64_t first = *member.offset;
    const uint64_t last = first + (member.bit_offset + member.bit_size + 7) / 8;
    if (offset + size <= first || last <= offset) continue;
    if (only != nullptr || offset < first || offset + size > last) return std::nullopt;
    only = &member;
  }
  if (only == nullptr || only->name.empty()) return std::nullopt;
  return member_text(place, only->name);
}

std::optional<std::string> path_to(DebugInfo& info, const Place& place, uint64_t offset,
                                   uint64_t size, int nesting) {
  if (nesting > kMostNesting) return std::nullopt;
  const Type& bare = stripped(info.complete(*place.type));
  const auto width = size_of(bare);
  if (bare.kind == TypeKind::kArray) {
    const uint64_t step = size_of(*bare.target).value_or(0);
    if (width && offset == 0 && size == *width && size > step) return whole_text(place);
    if (step == 0) return std::nullopt;
    const uint64_t index = offset / step;
    // Without a bound any address would be an element.
    if (!bare.count || index >= *bare.count) return std::nullopt;
    Place inner = place;
    inner.text = indexed_text(place, index);
    inner.is_pointee = false;
    inner.type = bare.target;
    return path_to(info, inner, offset % step, size, nesting + 1);
  }
  if (!width || offset >= *width || size > *width - offset) return std::nullopt;
  if (is_record(bare)) {
    if (offset == 0 && size == *width &&
        (size > 8 || bare.members.size() > 1 || bare.members.empty()))
      return whole_text(place);
    return path_in_record(info, place, bare, offset, size, nesting);
  }
  // A part of a scalar goes by the scalar's name.
  return whole_text(place);
}

class Search {
 public:
  Search(DebugInfo& info, const ValueSource& source, uint64_t address, uint64_t size)
      : info_(info), source_(source), address_(address), size_(size) {}

  // Takes the name that a place gives to the bytes, if it is the best so far.
  void try_place(const Place& place) {
    if (place.location.kind != Location::Kind::kMemory || address_ < place.location.address) return;
    if (auto text = path_to(info_, place, address_ - place.location.address, size_, 0))
      take(std::move(*text));
    else
      try_behind(place);
  }

  // The objects that the pointers of a place lead to.
  void follow(const Place& place, std::vector<Place>& out) {
    size_t found = 0;
    follow_part(place, out, found, 0);
  }

  [[nodiscard]] std::optional<std::string> best() const {
    if (best_ || behind_.size() != 1) return best_;
    return behind_.front();
  }
  [[nodiscard]] bool has_name() const { return best_.has_value(); }

 private:
  void take(std::string text) {
    if (!best_ || text.size() < best_->size()) best_ = std::move(text);
  }

  // An element behind what a pointer is known to point to, or of an array without a bound.
  void try_behind(const Place& place) {
    const Type& bare = stripped(*place.type);
    const bool is_open_array = bare.kind == TypeKind::kArray && !bare.count;
    if (!place.is_pointee && !is_open_array) return;
    const auto step = size_of(is_open_array ? *bare.target : bare);
    const uint64_t distance = address_ - place.location.address;
    if (step != size_ || distance % size_ != 0 || distance > kMostBehindPointer) return;
    const std::string& text = is_open_array ? whole_text(place) : place.text;
    behind_.push_back(
        fmt::format("{}[{}]", text[0] == '*' ? "(" + text + ")" : text, distance / size_));
  }

  void follow_part(const Place& place, std::vector<Place>& out, size_t& found, int nesting) {
    if (nesting > kMostNesting || found >= kMostPointersPerObject || read_ >= kMostPointers) return;
    const Type& bare = stripped(info_.complete(*place.type));
    if (bare.kind == TypeKind::kPointer || bare.kind == TypeKind::kReference) {
      follow_pointer(place, bare, out, found);
    } else if (bare.kind == TypeKind::kArray) {
      const uint64_t step = size_of(*bare.target).value_or(0);
      for (uint64_t i = 0;
           step != 0 && i < std::min<uint64_t>(bare.count.value_or(0), kMostElements); ++i) {
        const Place element{indexed_text(place, i), place.location.part(i * step), bare.target,
                            false, place.frame};
        follow_part(element, out, found, nesting + 1);
      }
    } else if (is_record(bare)) {
      for (const Member& member : bare.members) {
        if (!member.offset || member.bit_size != 0) continue;
        Place inner = place;
        inner.location = place.location.part(*member.offset);
        inner.type = member.type;
        if (!member.name.empty()) {
          inner.text = member_text(place, member.name);
          inner.is_pointee = false;
        }
        follow_part(inner, out, found, nesting + 1);
      }
    }
  }

  void follow_pointer(const Place& place, const Type& pointer, std::vector<Place>& out,
                      size_t& found) {
    ++found;
    ++read_;
    const ReadBytes read = read_location(place.location, 8, source_);
    if (!read.bytes) return;
    const auto target = integer_value(pointer, *read.bytes);
    if (!target || *target == 0 || !seen_.insert({*target, pointer.target}).second) return;
    // A reference names its object without an operator.
    const bool is_pointee = pointer.kind == TypeKind::kPointer;
    out.push_back(
        {whole_text(place), Location::in_memory(*target), pointer.target, is_pointee, place.frame});
  }

  DebugInfo& info_;
  const ValueSource& source_;
  uint64_t address_;
  uint64_t size_;
  size_t read_ = 0;
  boost::unordered_flat_set<std::pair<uint64_t, const Type*>> seen_;
  std::optional<std::string> best_;
  std::vector<std::string> behind_;
};

// The variables that the program can name, those of the innermost of the inlined functions first.
std::vector<Place> visible_places(DebugInfo& info, uint64_t pc, const ValueSource& source) {
  std::vector<Variable> variables = info.variables_at(pc);
  std::stable_sort(variables.begin(), variables.end(),
                   [](const Variable& x, const Variable& y) { return x.frame < y.frame; });
  boost::unordered_flat_set<std::string> names;
  std::vector<Place> out;
  for (const Variable& variable : variables) {
    // What an inner variable of the same name hides cannot be named.
    if (!names.insert(variable.name).second) continue;
    Location location = info.locate(variable, pc, source);
    if (location.kind == Location::Kind::kUnavailable) continue;
    out.push_back({variable.name, std::move(location), variable.type, false, variable.frame});
  }
  return out;
}

}  // namespace

std::optional<std::string> name_memory(DebugInfo& info, uint64_t pc, const ValueSource& source,
                                       uint64_t address, uint64_t size) {
  if (size == 0) return std::nullopt;
  Search search(info, source, address, size);
  std::vector<Place> level = visible_places(info, pc, source);
  for (int depth = 0; depth <= kLevels; ++depth) {
    // A name that holds in the innermost of the inlined functions is better than a shorter one.
    for (size_t i = 0; i < level.size(); ++i) {
      if (i > 0 && level[i].frame != level[i - 1].frame && search.has_name()) break;
      search.try_place(level[i]);
    }
    if (search.has_name() || depth == kLevels) break;
    std::vector<Place> next;
    for (const Place& place : level) search.follow(place, next);
    level = std::move(next);
  }
  return search.best();
}

std::optional<std::string> name_register(DebugInfo& info, uint64_t pc, const ValueSource& source,
                                         unsigned dwarf_number, uint64_t size) {
  for (const Place& place : visible_places(info, pc, source)) {
    const Location& location = place.location;
    if (location.kind != Location::Kind::kRegister || location.reg != dwarf_number ||
        location.offset != 0)
      continue;
    const uint64_t width = size_of(*place.type).value_or(0);
    if (width == 0) continue;
    if (auto text = path_to(info, place, 0, std::min(size, width), 0)) return text;
  }
  return std::nullopt;
}

}  // namespace twinrun
