// SPDX-License-Identifier: MIT
#include "align/symbolic_comp.h"

#include "program/value_format.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

namespace twinrun {
namespace {

/// What a path leads to; an address of 0: not on that side.
struct Pair {
  std::string path;
  bool through_pointer = false;
  const Type* type = nullptr;
  DebugInfo* info = nullptr;
  uint64_t a = 0;
  uint64_t b = 0;
  uint32_t steps = 0;
};

class Walk {
 public:
  Walk(const MemoryMap& a, const MemoryMap& b, const SymbolicOptions& options)
      : a_(a), b_(b), options_(options) {}

  SymbolicComparison run() {
    const std::vector<TypedObject> in_a = find_variables(a_).in_memory;
    const std::vector<TypedObject> in_b = find_variables(b_).in_memory;
    // Several static variables can have one name: then by their order.
    using Name = std::tuple<RegionId, std::string, size_t>;
    std::map<Name, const TypedObject*> names;
    const auto name_of = [](std::map<std::pair<RegionId, std::string>, size_t>& so_far,
                            const TypedObject& object) {
      return Name{object.region, object.name, so_far[{object.region, object.name}]++};
    };
    std::map<std::pair<RegionId, std::string>, size_t> so_far;
    for (const TypedObject& object : in_b) names[name_of(so_far, object)] = &object;
    so_far.clear();
    std::vector<Pair> roots;
    for (const TypedObject& object : in_a) {
      const Region* region = a_.region(object.region);
      const auto other = names.find(name_of(so_far, object));
      if (other == names.end() || (region->stack != nullptr && !options_.locals)) continue;
      const auto at_a = a_.address_of({object.region, object.offset});
      const auto at_b = b_.address_of({object.region, other->second->offset});
      if (!at_a || !at_b) continue;
      roots.push_back({object.name, false, object.type, object.info, *at_a, *at_b, 0});
    }
    std::ranges::stable_sort(roots, {}, &Pair::path);
    // In depth, so that the rows of one root stand together.
    for (Pair& root : roots) {
      // A pair of places is compared once for each root: that is what the paths say.
      seen_.clear();
      waiting_.push_back(std::move(root));
      while (!waiting_.empty()) {
        const Pair pair = std::move(waiting_.back());
        waiting_.pop_back();
        visit(pair);
      }
    }
    return std::move(out_);
  }

 private:
  void visit(const Pair& pair) {
    const auto size = complete_size(*pair.info, *pair.type);
    if (!size || !seen_.insert({pair.a, pair.b, pair.type}).second) return;
    std::vector<Pair> next;
    for_leaves(*pair.info, *pair.type, [&](const TypedLeaf& leaf) {
      if (out_.compared >= options_.most_values) {
        out_.cut = true;
        return false;
      }
      leaf_of(pair, leaf, next);
      return true;
    });
    std::ranges::reverse(next);
    for (Pair& one : next) waiting_.push_back(std::move(one));
  }

  void leaf_of(const Pair& pair, const TypedLeaf& leaf, std::vector<Pair>& next) {
    const std::string path = part_name(pair.path, pair.through_pointer, leaf.name);
    if (leaf.bit_size == 0 && is_pointer(*leaf.type)) {
      const Type* target = pointee(*pair.info, *leaf.type);
      if (target == nullptr) return;
      const auto value = [&](const MemoryMap& map, uint64_t base) -> uint64_t {
        const uint64_t to = base == 0 ? 0 : map.memory().word(base + leaf.offset).value_or(0);
        return map.region_at(to) == nullptr ? 0 : to;
      };
      const uint64_t in_a = value(a_, pair.a);
      const uint64_t in_b = value(b_, pair.b);
      if (in_a == 0 && in_b == 0) return;
      if (pair.steps >= options_.most_steps) {
        out_.cut = true;
        return;
      }
      next.push_back({path, true, target, pair.info, in_a, in_b, pair.steps + 1});
      return;
    }
    constexpr uint64_t kMost = 4096;
    const uint64_t size = std::min(leaf.size, kMost);
    const auto read = [&](const MemoryMap& map, uint64_t base) -> std::optional<Bytes> {
      Bytes bytes(size);
      if (base == 0 || map.memory().read(base + leaf.offset, bytes) != size) return std::nullopt;
      return bytes;
    };
    const auto in_a = read(a_, pair.a);
    const auto in_b = read(b_, pair.b);
    ++out_.compared;
    if ((pair.a != 0 && !in_a) || (pair.b != 0 && !in_b)) {
      ++out_.unknown;
      return;
    }
    if (in_a && in_b && value_of(leaf, *in_a) == value_of(leaf, *in_b)) return;
    if (out_.rows.size() >= options_.most_rows) {
      out_.cut = true;
      return;
    }
    using Kind = SymbolicDifference::Kind;
    SymbolicDifference row{.kind = !in_b   ? Kind::kOnlyA
                                   : !in_a ? Kind::kOnlyB
                                           : Kind::kValue,
                           .path = path,
                           .type = type_name(*leaf.type)};
    if (in_a) {
      row.address_a = pair.a + leaf.offset;
      row.value_a = format_value(*leaf.type, value_of(leaf, *in_a), nullptr);
    }
    if (in_b) {
      row.address_b = pair.b + leaf.offset;
      row.value_b = format_value(*leaf.type, value_of(leaf, *in_b), nullptr);
    }
    out_.rows.push_back(std::move(row));
  }

  static Bytes value_of(const TypedLeaf& leaf, const Bytes& bytes) {
    if (leaf.bit_size == 0) return bytes;
    const Member member{
        .type = leaf.type, .offset = 0, .bit_offset = leaf.bit_offset, .bit_size = leaf.bit_size};
    return bit_field_value(member, bytes).value_or(bytes);
  }

  const MemoryMap& a_;
  const MemoryMap& b_;
  const SymbolicOptions& options_;
  SymbolicComparison out_;
  std::vector<Pair> waiting_;
  std::set<std::tuple<uint64_t, uint64_t, const Type*>> seen_;
};

}  // namespace

SymbolicComparison compare_symbolically(const MemoryMap& a, const MemoryMap& b,
                                        const SymbolicOptions& options) {
  return Walk(a, b, options).run();
}

}  // namespace twinrun
