// SPDX-License-Identifier: MIT
// Where do the memories of two runs differ at a pair of moments? (William N. Sumner, Xiangyu Zhang:
// Memory Indexing, section 6: Mem_Comp.)
//
// Regions are paired by their canonical names, which are numbers of a tree that both sides share;
// one that has no partner differs as a whole. In a pair, only bytes that one of the programs has
// stored since the region's birth can differ: the rest is what was mapped, which is the same file
// or zero, or what malloc found. So the work follows the bits of the images, eight bytes at a time.
//
// Debug information says what the bytes are: variables of modules and frames are objects, and a
// pointer in an object gives the block of the heap that it leads to its type, from there on. Words
// of no known type that are addresses of live regions on both sides are taken for pointers.
//
// A pointer is compared by the index of its value (lazy semantics), so that it is the same when it
// points to the same place, wherever that lies; and it differs when the same address is another
// place. One that points just behind a block of the heap belongs to that block. Pointers into
// freed memory have no place: two of them are neither the same nor different, and are counted.
//
// Example, figure 7 of the paper: C, h, p and r differ, and the node that only one run allocates.
#include "align/mem_comp.h"

#include "program/value_format.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <future>
#include <map>

namespace twinrun {
namespace {

using Kind = RegionLabel::Kind;
constexpr size_t kMostTypedPointers = 4'000'000;
constexpr size_t kMostNameSteps = 12;
constexpr uint64_t kWord = 8;

/// What one byte of a region is.
enum class ByteState : uint8_t { kDefined, kUnwritten, kUnknown, kAllocator, kElsewhere };

/// Eight bytes of a region on one side.
struct Granule {
  std::array<uint8_t, kWord> bytes{};
  std::array<ByteState, kWord> states{};
};

/// An object that a pointer leads to, or a variable.
struct Found {
  TypedObject object;
  int64_t from = -1;   // the object whose pointer leads here; -1: a variable
  std::string slot;    // of that object
  std::string member;  // in what the pointer leads to: ".values"
};

int order_of(Kind kind) {
  switch (kind) {
    case Kind::kModule: return 0;
    case Kind::kStack: return 1;
    case Kind::kHeap: return 2;
    case Kind::kMapping: return 3;
    case Kind::kThread: return 4;
    default: return 5;
  }
}

/// Where a pointer's value leads.
struct Target {
  enum class Kind : uint8_t { kPlace, kFreed, kNumber };
  Kind kind = Kind::kNumber;
  MemoryIndex index;
};

Target target_of(const MemoryMap& map, uint64_t value) {
  const Region* region = map.region_at(value);
  if (region == nullptr) return {};
  if (region->kind == RegionLabel::Kind::kBreak || region->is_internal) {
    const Region* before = value == 0 ? nullptr : map.region_at(value - 1);
    if (before != nullptr && before->allocation != nullptr && before->end == value)
      return {Target::Kind::kPlace, {before->id, static_cast<int64_t>(value - before->base)}};
    if (region->is_internal) return {Target::Kind::kFreed, {}};
  }
  return {Target::Kind::kPlace, {region->id, static_cast<int64_t>(value - region->base)}};
}

class Comparer {
 public:
  Comparer(const MemoryMap& a, const MemoryMap& b, MemoryTexts& texts,
           const MemCompOptions& options)
      : a_(a), b_(b), texts_(texts), options_(options) {}

  MemoryComparison run() {
    out_.counts.ambiguous = a_.ambiguous() + b_.ambiguous();
    find_objects();
    pieces_a_ = pieces_of(a_);
    pieces_b_ = pieces_of(b_);
    for (size_t i = 0; i < a_.regions().size(); ++i) {
      const Region& left = a_.regions()[i];
      const Region* right = b_.region(left.id);
      if (right == nullptr) {
        one_sided(left, true);
        continue;
      }
      ++out_.counts.regions;
      pair(left, *right, pieces_a_[i], pieces_b_[static_cast<size_t>(right - b_.regions().data())]);
    }
    for (const Region& right : b_.regions())
      if (a_.region(right.id) == nullptr) one_sided(right, false);
    registers();
    std::ranges::stable_sort(out_.rows, {}, [](const MemoryDifference& row) {
      return std::tuple(order_of(row.where), row.region, row.index.offset);
    });
    return std::move(out_);
  }

 private:
  using Pieces = std::vector<MemoryMap::Piece>;

  static std::vector<Pieces> pieces_of(const MemoryMap& map) {
    std::vector<Pieces> out(map.regions().size());
    for (const MemoryMap::Piece& piece : map.pieces()) out[piece.region].push_back(piece);
    return out;
  }

  /// Variables, and what pointers lead to, the nearest first.
  void find_objects() {
    Variables variables = find_variables(a_);
    registers_a_ = std::move(variables.in_registers);
    registers_b_ = find_variables(b_).in_registers;
    for (TypedObject& object : variables.in_memory) add_object({std::move(object), -1, {}, {}});
    size_t pointers = 0;
    for (size_t i = 0; i < found_.size() && pointers < kMostTypedPointers; ++i)
      pointers += follow(i);
    for (auto& [region, numbers] : objects_)
      std::ranges::stable_sort(numbers, {}, [&](uint32_t n) { return found_[n].object.offset; });
  }

  void add_object(Found found) {
    auto& there = objects_[found.object.region];
    there.push_back(static_cast<uint32_t>(found_.size()));
    found_.push_back(std::move(found));
  }

  /// Gives types to the blocks of the heap that the object's pointers lead to.
  size_t follow(size_t number) {
    const TypedObject object = found_[number].object;
    const auto one = complete_size(*object.info, *object.type);
    if (!one) return 0;
    const std::vector<TypedLeaf>& slots = pointers_in(*object.info, *object.type);
    if (slots.empty()) return 0;
    size_t seen = 0;
    const auto base = a_.address_of({object.region, object.offset});
    for (uint64_t at = 0; base && at + *one <= object.size; at += *one) {
      for (const TypedLeaf& slot : slots) {
        ++seen;
        const auto value = a_.memory().word(*base + at + slot.offset);
        if (!value || *value == 0) continue;
        const Region* region = a_.region_at(*value);
        if (region == nullptr || region->allocation == nullptr || objects_.contains(region->id))
          continue;
        const Type* type = pointee(*object.info, *slot.type);
        const auto size = type == nullptr ? std::nullopt : complete_size(*object.info, *type);
        const uint64_t rest = region->end - *value;
        if (!size || *size > rest || is_character(stripped(*type))) continue;
        std::string name = slot.name;
        if (object.size >= 2 * *one) name = fmt::format("[{}]{}", at / *one, slot.name);
        const auto offset = static_cast<int64_t>(*value - region->base);
        const Member* end = open_end(*object.info, *type);
        // A block of another size than that of some elements has something else behind the first.
        const uint64_t typed = rest % *size == 0 && end == nullptr ? rest : *size;
        add_object({{{}, type, object.info, region->id, offset, typed},
                    static_cast<int64_t>(number),
                    name,
                    {}});
        if (end != nullptr)
          add_open_end(*end, {{}, nullptr, object.info, region->id, offset, rest},
                       static_cast<int64_t>(number), name);
      }
    }
    return seen;
  }

  /// The elements of an array at the end of a record; `whole` is all that is there.
  void add_open_end(const Member& end, TypedObject whole, int64_t from, const std::string& slot) {
    const Type* element = stripped(*end.type).target;
    const auto size = element == nullptr ? std::nullopt : complete_size(*whole.info, *element);
    if (!size || !end.offset || whole.size < *end.offset + *size) return;
    const uint64_t count = (whole.size - *end.offset) / *size;
    whole.type = element;
    whole.offset += static_cast<int64_t>(*end.offset);
    whole.size = count * *size;
    add_object({std::move(whole), from, slot, fmt::format(".{}", end.name)});
  }

  const std::vector<TypedLeaf>& pointers_in(DebugInfo& info, const Type& type) {
    const auto [found, is_new] = pointers_in_.try_emplace(&type);
    if (is_new) {
      for_leaves(info, type, [&](const TypedLeaf& leaf) {
        if (leaf.bit_size == 0 && is_pointer(*leaf.type)) found->second.push_back(leaf);
        return true;
      });
    }
    return found->second;
  }

  /// "h->next->val"; of a long way only its ends.
  std::string name_of(const Found& found, const std::string& part) const {
    std::vector<const Found*> way{&found};
    while (way.back()->from >= 0) way.push_back(&found_[static_cast<size_t>(way.back()->from)]);
    std::string out = way.back()->object.name;
    const bool is_long = way.size() > kMostNameSteps;
    for (size_t i = way.size() - 1; i-- > 0;) {
      if (is_long && i > kMostNameSteps / 2 && i + 2 < way.size()) continue;
      if (is_long && i == kMostNameSteps / 2) out += "->...";
      // What a pointer in `way[i + 1]` leads to.
      out = part_name(out, i + 2 < way.size(), way[i + 1]->member + way[i]->slot);
    }
    return part_name(out, way.size() > 1, found.member + part);
  }

  const Found* object_at(RegionId region, int64_t offset) const {
    const auto found = objects_.find(region);
    if (found == objects_.end()) return nullptr;
    const std::vector<uint32_t>& all = found->second;
    auto behind = std::ranges::upper_bound(all, offset, {},
                                           [&](uint32_t n) { return found_[n].object.offset; });
    // Objects do not overlap but for several names of the same one, the larger one first.
    for (int tries = 0; tries < 4 && behind != all.begin(); ++tries) {
      --behind;
      const TypedObject& object = found_[*behind].object;
      if (offset - object.offset < static_cast<int64_t>(object.size)) return &found_[*behind];
    }
    return nullptr;
  }

  /// Offsets, in words, of all that has been stored in the region.
  static void stored_words(const Region& region, const MemoryMap& map, const Pieces& pieces,
                           std::vector<int64_t>& out) {
    constexpr uint64_t kPage = MemoryImage::kPage;
    for (const MemoryMap::Piece& piece : pieces) {
      for (uint64_t number = piece.begin / kPage; number <= (piece.end - 1) / kPage; ++number) {
        const MemoryImage::Page* page = map.memory().image().page(number);
        if (page == nullptr) continue;  // a mapping can be huge, and mostly untouched
        const uint64_t first = std::max(piece.begin, number * kPage) % kPage / 64;
        const uint64_t last = (std::min(piece.end, (number + 1) * kPage) - 1) % kPage / 64;
        for (uint64_t w = first; w <= last; ++w) {
          const uint64_t begin = number * kPage + w * 64;
          for (uint64_t bits = page->stored[w]; bits != 0;) {
            const uint64_t address = begin + static_cast<uint64_t>(__builtin_ctzll(bits));
            bits &= bits - 1;
            if (address < piece.begin || address >= piece.end) continue;
            const int64_t word = static_cast<int64_t>(address - region.base) >> 3;
            if (out.empty() || out.back() != word) out.push_back(word);
            // The rest of the word.
            const uint64_t next = region.base + static_cast<uint64_t>(word + 1) * kWord;
            bits = next - begin >= 64 ? 0 : bits & (~uint64_t{0} << (next - begin));
          }
        }
      }
    }
  }

  static Granule granule(const MemoryMap& map, const Region& region, int64_t offset) {
    Granule out;
    const uint64_t address = region.base + static_cast<uint64_t>(offset);
    const MemoryImage::Page* page = map.memory().image().page(address / MemoryImage::kPage);
    const uint64_t at = address % MemoryImage::kPage;
    const bool is_whole = map.is_in(region, address, kWord) && at % 64 <= 64 - kWord;
    constexpr uint64_t kAll = (1 << kWord) - 1;
    const auto bits = [&](const MemoryImage::Bits MemoryImage::Page::* which) -> uint64_t {
      return page == nullptr ? 0 : (page->*which)[at / 64] >> at % 64 & kAll;
    };
    // Nearly all are known, stored, and in one piece.
    if (is_whole && !region.is_internal && bits(&MemoryImage::Page::known) == kAll &&
        bits(&MemoryImage::Page::stored) == kAll && bits(&MemoryImage::Page::inside) == 0) {
      std::memcpy(out.bytes.data(), page->bytes.data() + at, kWord);
      return out;
    }
    std::vector<bool> known;
    map.memory().read(address, out.bytes, &known);
    for (uint64_t i = 0; i < kWord; ++i)
      out.states[i] = state_of(map, region, address + i, known[i]);
    return out;
  }

  static ByteState state_of(const MemoryMap& map, const Region& region, uint64_t at,
                            bool is_known) {
    if (!map.is_in(region, at, 1)) return ByteState::kElsewhere;
    const MemoryImage::Page* page = map.memory().image().page(at / MemoryImage::kPage);
    const bool stored = page != nullptr && MemoryImage::bit(page->stored, at);
    const bool inside = page != nullptr && MemoryImage::bit(page->inside, at);
    const bool is_data = region.allocation == nullptr && region.stack == nullptr;
    if (region.is_internal || (stored && inside && is_data)) return ByteState::kAllocator;
    const bool is_promised =
        is_data || (region.allocation != nullptr && at - region.base < region.allocation->defined);
    if (!stored && !is_promised) return ByteState::kUnwritten;
    return is_known ? ByteState::kDefined : ByteState::kUnknown;
  }

  void one_sided(const Region& region, bool is_a) {
    if (region.is_internal) return;
    ++(is_a ? out_.counts.only_a : out_.counts.only_b);
    MemoryDifference row{
        .kind = is_a ? MemoryDifference::Kind::kOnlyA : MemoryDifference::Kind::kOnlyB,
        .where = region.kind,
        .index = {region.id, static_cast<int64_t>(region.begin - region.base)},
        .size = region.end - region.begin};
    (is_a ? row.value_a : row.value_b) = fmt::format("{} bytes", row.size);
    if (const auto found = objects_.find(region.id); is_a && found != objects_.end()) {
      row.name = name_of(found_[found->second[0]], "");
      row.type = type_name(*found_[found->second[0]].object.type);
      if (region.stack != nullptr) row.name = row.type = "";
    }
    add(std::move(row), region);
  }

  void pair(const Region& left, const Region& right, const Pieces& in_a, const Pieces& in_b) {
    if (left.allocation != nullptr && right.allocation != nullptr &&
        left.allocation->made.size != right.allocation->made.size) {
      add({.kind = MemoryDifference::Kind::kSize,
           .where = left.kind,
           .index = {left.id, 0},
           .size = left.allocation->made.size,
           .value_a = fmt::format("{} bytes", left.allocation->made.size),
           .value_b = fmt::format("{} bytes", right.allocation->made.size)},
          left);
    }
    std::vector<int64_t> words;
    stored_words(left, a_, in_a, words);
    const auto middle = static_cast<ptrdiff_t>(words.size());
    stored_words(right, b_, in_b, words);
    std::ranges::inplace_merge(words, words.begin() + middle);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    if (left.is_internal && right.is_internal) {
      out_.counts.allocator += words.size() * kWord;
      return;
    }
    raw_ = std::nullopt;
    done_ = INT64_MIN;
    for (const int64_t word : words) compare(left, right, word * static_cast<int64_t>(kWord));
    flush_raw(left);
  }

  struct Raw {
    int64_t begin = 0;
    int64_t end = 0;
  };

  void compare(const Region& left, const Region& right, int64_t offset) {
    const Granule x = granule(a_, left, offset);
    const Granule y = granule(b_, right, offset);
    std::array<bool, kWord> comparable{};
    bool all = true;
    for (uint64_t i = 0; i < kWord; ++i) {
      const auto either = [&](ByteState state) {
        return x.states[i] == state || y.states[i] == state;
      };
      auto& counts = out_.counts;
      if (x.states[i] == ByteState::kElsewhere && y.states[i] == ByteState::kElsewhere) {
      } else if (either(ByteState::kElsewhere)) {
        ++counts.unpaired;
      } else if (either(ByteState::kAllocator)) {
        ++counts.allocator;
      } else if (either(ByteState::kUnknown)) {
        ++counts.unknown;
      } else if (x.states[i] == ByteState::kUnwritten && y.states[i] == ByteState::kUnwritten) {
        ++counts.unwritten;
      } else {
        comparable[i] = true;
        continue;
      }
      all = false;
    }
    if (all && compare_as_pointer(left, offset, x, y)) return;
    for (uint64_t i = 0; i < kWord; ++i) {
      if (!comparable[i]) continue;
      if (x.bytes[i] == y.bytes[i])
        ++out_.counts.same;
      else
        differs(left, right, offset + static_cast<int64_t>(i), x.bytes[i] ^ y.bytes[i]);
    }
  }

  /// True when that has decided it.
  bool compare_as_pointer(const Region& left, int64_t offset, const Granule& x, const Granule& y) {
    uint64_t in_a = 0;
    uint64_t in_b = 0;
    std::memcpy(&in_a, x.bytes.data(), kWord);
    std::memcpy(&in_b, y.bytes.data(), kWord);
    Target to_a = target_of(a_, in_a);
    Target to_b = target_of(b_, in_b);
    const bool is_address =
        to_a.kind != Target::Kind::kNumber && to_b.kind != Target::Kind::kNumber;
    if (in_a == in_b && !is_address) return false;
    const Found* object = object_at(left.id, offset);
    std::optional<TypedLeaf> leaf;
    if (object != nullptr) {
      leaf = leaf_at(*object->object.info, *object->object.type, object->object.size,
                     static_cast<uint64_t>(offset - object->object.offset));
      // Padding, or the middle of something.
      if (!leaf || leaf->offset != static_cast<uint64_t>(offset - object->object.offset))
        return false;
      const Type& type = stripped(*leaf->type);
      if (!is_pointer(type) && (type.kind != TypeKind::kUnion || leaf->size < kWord)) return false;
    }
    const bool is_typed = leaf && is_pointer(*leaf->type);
    if (!is_typed && !is_address) return false;
    ++out_.counts.pointers;
    if (is_typed && in_a != 0 && in_b != 0 && options_.online_a && options_.online_b) {
      const auto from_a = options_.online_a(*a_.address_of({left.id, offset}));
      const auto from_b = from_a ? options_.online_b(*b_.address_of({left.id, offset})) : from_a;
      if (from_b) {
        ++out_.counts.online;
        to_a = {Target::Kind::kPlace, *from_a};
        to_b = {Target::Kind::kPlace, *from_b};
      }
    }
    if (to_a.kind == Target::Kind::kFreed && to_b.kind == Target::Kind::kFreed) {
      ++out_.counts.dangling;
      out_.counts.unknown += kWord;
      return true;
    }
    const bool is_same =
        to_a.kind == to_b.kind &&
        (to_a.kind == Target::Kind::kPlace ? to_a.index == to_b.index : in_a == in_b);
    if (is_same) {
      out_.counts.same += kWord;
      return true;
    }
    out_.counts.different += kWord;
    flush_raw(left);
    MemoryDifference row{.kind = MemoryDifference::Kind::kPointer,
                         .where = left.kind,
                         .index = {left.id, offset},
                         .size = kWord,
                         .value_a = text_of(a_, in_a, to_a),
                         .value_b = text_of(b_, in_b, to_b)};
    if (leaf) {
      row.name = name_of(*object, leaf->name);
      row.type = type_name(*leaf->type);
    }
    add(std::move(row), left);
    return true;
  }

  std::string text_of(const MemoryMap& map, uint64_t value, const Target& target) {
    if (target.kind != Target::Kind::kPlace)
      return target.kind == Target::Kind::kFreed ? fmt::format("{:#x} (freed)", value)
                                                 : fmt::format("{:#x}", value);
    const Region* region = map.region(target.index.region);
    const std::string name = region->name.empty() ? region_text(region->id) : region->name;
    const int64_t offset = target.index.offset;
    return offset == 0 ? name
                       : fmt::format("{}{}{:#x}", name, offset < 0 ? '-' : '+',
                                     offset < 0 ? -offset : offset);
  }

  /// A byte that is not the same and in no pointer.
  void differs(const Region& left, const Region& right, int64_t offset, unsigned bits) {
    if (offset < done_) {
      ++out_.counts.different;
      return;
    }
    const Found* object = object_at(left.id, offset);
    std::optional<TypedLeaf> leaf;
    if (object != nullptr) {
      leaf = leaf_at(*object->object.info, *object->object.type, object->object.size,
                     static_cast<uint64_t>(offset - object->object.offset),
                     static_cast<uint32_t>(__builtin_ctz(bits)));
      if (!leaf) {
        ++out_.counts.unwritten;  // padding
        return;
      }
    }
    ++out_.counts.different;
    if (!leaf) {
      if (!raw_ || raw_->end != offset) {
        flush_raw(left);
        raw_ = {offset, offset};
      }
      raw_->end = offset + 1;
      return;
    }
    flush_raw(left);
    const int64_t begin = object->object.offset + static_cast<int64_t>(leaf->offset);
    done_ = begin + static_cast<int64_t>(leaf->size);
    MemoryDifference row{.kind = MemoryDifference::Kind::kValue,
                         .where = left.kind,
                         .index = {left.id, begin},
                         .size = leaf->size,
                         .name = name_of(*object, leaf->name),
                         .type = type_name(*leaf->type)};
    row.value_a = typed_value(a_, left, begin, *leaf);
    row.value_b = typed_value(b_, right, begin, *leaf);
    add(std::move(row), left);
  }

  static std::string typed_value(const MemoryMap& map, const Region& region, int64_t offset,
                                 const TypedLeaf& leaf) {
    constexpr uint64_t kMost = 4096;
    Bytes bytes(std::min(leaf.size, kMost));
    const uint64_t address = region.base + static_cast<uint64_t>(offset);
    if (map.memory().read(address, bytes) != bytes.size()) return "<unknown>";
    // Behind the end of a text there is often garbage, which is not the program's.
    for (uint64_t at = 0; stripped(*leaf.type).kind == TypeKind::kArray && at < bytes.size();) {
      const Granule there = granule(map, region, offset + static_cast<int64_t>(at));
      for (uint64_t i = 0; i < kWord && at < bytes.size(); ++i, ++at)
        if (there.states[i] == ByteState::kUnwritten) bytes[at] = 0;
    }
    if (leaf.bit_size != 0) {
      const Member member{
          .type = leaf.type, .offset = 0, .bit_offset = leaf.bit_offset, .bit_size = leaf.bit_size};
      const auto value = bit_field_value(member, bytes);
      return value ? format_value(*leaf.type, *value, nullptr) : "<unknown>";
    }
    return format_value(*leaf.type, bytes, nullptr);
  }

  void flush_raw(const Region& left) {
    if (!raw_) return;
    const Raw raw = *raw_;
    raw_ = std::nullopt;
    const Region* right = b_.region(left.id);
    add({.kind = MemoryDifference::Kind::kValue,
         .where = left.kind,
         .index = {left.id, raw.begin},
         .size = static_cast<uint64_t>(raw.end - raw.begin),
         .value_a = raw_text(a_, left, raw),
         .value_b = raw_text(b_, *right, raw)},
        left);
  }

  static std::string raw_text(const MemoryMap& map, const Region& region, const Raw& raw) {
    constexpr int64_t kMost = 16;
    Bytes bytes(static_cast<size_t>(std::min(raw.end - raw.begin, kMost)));
    map.memory().read(region.base + static_cast<uint64_t>(raw.begin), bytes);
    std::string out;
    for (const uint8_t byte : bytes) out += fmt::format("{}{:02x}", out.empty() ? "" : " ", byte);
    return raw.end - raw.begin > kMost ? out + " ..." : out;
  }

  /// Variables that are in registers, by the frame and the name.
  void registers() {
    for (const RegisterVariable& x : registers_a_) {
      const auto y = std::ranges::find_if(registers_b_, [&](const RegisterVariable& other) {
        return other.region == x.region && other.name == x.name;
      });
      const Region* region = a_.region(x.region);
      if (y == registers_b_.end() || x.value.size() != y->value.size()) continue;
      MemoryDifference row{.where = region->kind,
                           .index = {x.region, 0},
                           .size = x.value.size(),
                           .in_register = true,
                           .name = x.name,
                           .type = type_name(*x.type)};
      if (is_pointer(*x.type) && x.value.size() == kWord) {
        uint64_t in_a = 0;
        uint64_t in_b = 0;
        std::memcpy(&in_a, x.value.data(), kWord);
        std::memcpy(&in_b, y->value.data(), kWord);
        const Target to_a = target_of(a_, in_a);
        const Target to_b = target_of(b_, in_b);
        ++out_.counts.pointers;
        if (to_a.kind == to_b.kind &&
            (to_a.kind == Target::Kind::kPlace ? to_a.index == to_b.index : in_a == in_b))
          continue;
        row.kind = MemoryDifference::Kind::kPointer;
        row.value_a = text_of(a_, in_a, to_a);
        row.value_b = text_of(b_, in_b, to_b);
      } else {
        if (x.value == y->value) continue;
        row.value_a = format_value(*x.type, x.value, nullptr);
        row.value_b = format_value(*x.type, y->value, nullptr);
      }
      add(std::move(row), *region);
    }
  }

  const std::string& region_text(RegionId id) {
    const auto [found, is_new] = region_texts_.try_emplace(id);
    if (is_new) found->second = texts_.region(id);
    return found->second;
  }

  void add(MemoryDifference row, const Region& region) {
    if (out_.rows.size() >= options_.most_rows) {
      ++out_.counts.cut;
      return;
    }
    row.region =
        region.name.empty() || region.kind == Kind::kHeap ? region_text(region.id) : region.name;
    out_.rows.push_back(std::move(row));
  }

  const MemoryMap& a_;
  const MemoryMap& b_;
  MemoryTexts& texts_;
  const MemCompOptions& options_;
  MemoryComparison out_;
  std::deque<Found> found_;
  boost::unordered_flat_map<RegionId, std::vector<uint32_t>> objects_;  // by offset
  std::map<const Type*, std::vector<TypedLeaf>> pointers_in_;
  std::vector<RegisterVariable> registers_a_;
  std::vector<RegisterVariable> registers_b_;
  std::vector<Pieces> pieces_a_;
  std::vector<Pieces> pieces_b_;
  std::map<RegionId, std::string> region_texts_;
  std::optional<Raw> raw_;    // raw bytes that differ, one behind the other
  int64_t done_ = INT64_MIN;  // what is in front of it has been told as a whole
};

}  // namespace

Result<MemoryPair> live_memories(const MomentOfRun& a, const MomentOfRun& b,
                                 const LiveMemory::Options& options) {
  auto other = std::async(std::launch::async, [&] {
    // Progress is told of one side: the other is about as far.
    LiveMemory::Options quiet{.allocators = options.allocators, .progress = {}};
    return LiveMemory::at(*b.run, b.at, quiet);
  });
  auto here = LiveMemory::at(*a.run, a.at, options);
  auto there = other.get();
  if (!here) return std::unexpected(std::move(here).error());
  if (!there) return std::unexpected(std::move(there).error());
  return MemoryPair{std::move(*here), std::move(*there)};
}

MemoryComparison compare_memory(const MemoryMap& a, const MemoryMap& b, MemoryTexts& texts,
                                const MemCompOptions& options) {
  return Comparer(a, b, texts, options).run();
}

}  // namespace twinrun
