// SPDX-License-Identifier: MIT
// Lookups by address ask for the innermost scope. One pass over the entries paints the ranges of
// each scope on a line of addresses, parents before children, so that what is visible in the end is
// the innermost; then a lookup is one binary search. libdw's dwarf_getscopes walks the tree for
// each address instead, and misses the parents of inlined functions. Functions are painted a second
// time without blocks: a block may have ranges outside of the inlined function that it is in.
#include "program/dwarf_unit.h"

#include <dwarf.h>

#include <algorithm>

namespace twinrun {
namespace {

constexpr size_t kMostDepth = 512;
constexpr size_t kMostScopes = 8'000'000;

}  // namespace

void Stretches::paint(AddressRange range, int32_t number) {
  auto before = [&](uint64_t address) {
    auto it = edges_.upper_bound(address);
    return it == edges_.begin() ? -1 : std::prev(it)->second;
  };
  const int32_t after = before(range.end);
  edges_.erase(edges_.lower_bound(range.begin), edges_.upper_bound(range.end));
  edges_[range.begin] = number;
  edges_[range.end] = after;
}

void Stretches::finish() {
  sorted_.assign(edges_.begin(), edges_.end());
  edges_.clear();
}

int32_t Stretches::find(uint64_t address) const {
  const auto it = std::upper_bound(sorted_.begin(), sorted_.end(), address,
                                   [](uint64_t a, const auto& edge) { return a < edge.first; });
  return it == sorted_.begin() ? -1 : std::prev(it)->second;
}

void DwarfUnit::use_split(std::unique_ptr<DwarfFile> file, const UnitContext& context) {
  split_file_ = std::move(file);
  context_ = context;
}

void DwarfUnit::need_scopes() {
  if (!std::exchange(has_scopes_, true)) read_scopes();
}

void DwarfUnit::need_lines() {
  if (!std::exchange(has_lines_, true)) read_lines();
}

void DwarfUnit::read_scopes() {
  struct Open {
    Dwarf_Die die;
    int32_t scope;  // around the children of die
  };
  std::vector<Open> path;
  Dwarf_Die die;
  if (dwarf_child(&context_.root, &die) != 0) return;
  int32_t around = -1;
  while (true) {
    int32_t inside = around;
    bool descend = false;
    const int tag = dwarf_tag(&die);
    switch (tag) {
      case DW_TAG_subprogram:
      case DW_TAG_inlined_subroutine:
      case DW_TAG_lexical_block: {
        const auto ranges = context_.ranges_of(die);
        // Without code: a declaration, an abstract function, or something optimized away; it can
        // still hold functions with code (of a local class).
        descend = true;
        if (ranges.empty() || scopes_.size() >= kMostScopes) break;
        inside = static_cast<int32_t>(scopes_.size());
        const auto kind = tag == DW_TAG_subprogram      ? Scope::Kind::kFunction
                          : tag == DW_TAG_lexical_block ? Scope::Kind::kBlock
                                                        : Scope::Kind::kInlined;
        scopes_.push_back({kind, around, die});
        for (const AddressRange& range : ranges) {
          by_scope_.paint(range, inside);
          if (kind != Scope::Kind::kBlock) by_subroutine_.paint(range, inside);
        }
        break;
      }
      case DW_TAG_namespace:
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
      case DW_TAG_module: descend = true; break;
      default: break;
    }
    Dwarf_Die child;
    if (descend && path.size() >= kMostDepth) {
      is_cut_ = true;
      descend = false;
    }
    if (descend && dwarf_child(&die, &child) == 0) {
      path.push_back({die, around});
      around = inside;
      die = child;
      continue;
    }
    while (dwarf_siblingof(&die, &die) != 0) {
      if (path.empty()) {
        by_scope_.finish();
        by_subroutine_.finish();
        return;
      }
      die = path.back().die;
      around = path.back().scope;
      path.pop_back();
    }
  }
}

void DwarfUnit::read_lines() {
  Dwarf_Lines* lines = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(&context_.skeleton, &files_, &file_count_) != 0) {
    files_ = nullptr;
    file_count_ = 0;
    return;
  }
  directory_ = text_of(context_.skeleton, DW_AT_comp_dir);
  if (dwarf_getsrclines(&context_.skeleton, &lines, &count) != 0) return;
  rows_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    int number = 0;
    int column = 0;
    bool is_statement = false;
    bool ends = false;
    Dwarf_Files* files = nullptr;
    size_t file = 0;
    if (line == nullptr || dwarf_lineaddr(line, &address) != 0) continue;
    dwarf_lineno(line, &number);
    dwarf_linecol(line, &column);
    dwarf_linebeginstatement(line, &is_statement);
    dwarf_lineendsequence(line, &ends);
    dwarf_line_file(line, &files, &file);
    rows_.push_back({address, static_cast<uint32_t>(file), static_cast<uint32_t>(number),
                     static_cast<uint32_t>(column), is_statement, ends});
  }
}

const LineRow* DwarfUnit::row_at(uint64_t address) const {
  const auto it = std::upper_bound(rows_.begin(), rows_.end(), address,
                                   [](uint64_t a, const LineRow& row) { return a < row.address; });
  if (it == rows_.begin()) return nullptr;
  const LineRow& row = *std::prev(it);
  return row.ends_sequence ? nullptr : &row;
}

std::string DwarfUnit::file(uint64_t index) const {
  if (files_ == nullptr || index >= file_count_) return {};
  const char* path = dwarf_filesrc(files_, index, nullptr, nullptr);
  if (path == nullptr) return {};
  // libdw leaves out a compilation directory that is itself relative.
  if (path[0] == '/' || directory_.empty() || std::string_view(path).starts_with(directory_ + "/"))
    return path;
  return directory_ + "/" + path;
}

}  // namespace twinrun
