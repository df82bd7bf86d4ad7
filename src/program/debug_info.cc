// SPDX-License-Identifier: MIT
// Opening reads the root entry of each unit only: its ranges give the unit of an address. The rest
// of a unit (dwarf_unit.cc) is read when the first address in it is asked for.
#include "program/debug_info.h"

#include "program/debug_info_impl.h"

#include <dwarf.h>

#include <algorithm>
#include <filesystem>

namespace twinrun {

DebugInfo::Impl::~Impl() {
  // The units' own files and this table hang on the files, which are destroyed after them.
  if (exception_frames != nullptr) dwarf_cfi_end(exception_frames);
}

void DebugInfo::Impl::start() {
  files.find_companions();
  if (!files.debug().has_debug_info()) return;
  Dwarf* dwarf = files.debug().dwarf();
  Dwarf_CU* unit = nullptr;
  uint8_t type = 0;
  Dwarf_Die die;
  int more = 0;
  while ((more = dwarf_get_units(dwarf, unit, &unit, nullptr, &type, &die, nullptr)) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    const auto number = static_cast<int32_t>(units.size());
    Unit& added = units.emplace_back();
    const UnitContext context = UnitContext::of(files.debug(), die);
    added.index = std::make_unique<DwarfUnit>(context);
    added.is_skeleton = type == DW_UT_skeleton;
    const auto ranges = context.ranges_of(die);
    for (const AddressRange& range : ranges) by_address.paint(range, number);
    if (ranges.empty()) without_ranges.push_back(number);
  }
  if (more < 0)
    files.note(DebugNote::Kind::kDamaged, files.debug().path(),
               fmt::format("the debug information is damaged behind unit {}", units.size()));
  by_address.finish();
}

DwarfUnit& DebugInfo::Impl::unit(int32_t number) {
  Unit& unit = units[static_cast<size_t>(number)];
  if (unit.is_skeleton && !std::exchange(unit.was_linked, true)) link(unit);
  return *unit.index;
}

// Finds the full form of a skeleton unit. Without it, the skeleton's line table still serves.
void DebugInfo::Impl::link(Unit& unit) {
  const UnitContext& skeleton = unit.index->context();
  Dwarf_Die die = skeleton.root;
  std::string name = text_of(die, DW_AT_dwo_name);
  if (name.empty()) name = text_of(die, DW_AT_GNU_dwo_name);
  uint64_t id = 0;
  dwarf_cu_info(die.cu, nullptr, nullptr, nullptr, nullptr, &id, nullptr, nullptr);
  if (const auto old = number_of(die, DW_AT_GNU_dwo_id)) id = *old;
  auto file = find_split_unit(files, name, text_of(die, DW_AT_comp_dir), id, skeleton.addresses);
  if (file == nullptr) return;
  Dwarf_CU* cu = nullptr;
  uint8_t type = 0;
  Dwarf_Die full;
  while (dwarf_get_units(file->dwarf(), cu, &cu, nullptr, &type, &full, nullptr) == 0)
    if (dwarf_tag(&full) == DW_TAG_compile_unit) {
      const UnitContext context = UnitContext::of_split(skeleton, *file, full);
      unit.index->use_split(std::move(file), context);
      return;
    }
}

int32_t DebugInfo::Impl::unit_at(uint64_t address) {
  const int32_t found = by_address.find(address);
  if (found >= 0 || without_ranges.empty()) return found;
  // Some compilers leave the ranges of a unit to its functions.
  if (!std::exchange(has_read_rangeless, true))
    for (const int32_t number : without_ranges) unit(number).need_scopes();
  for (const int32_t number : without_ranges)
    if (unit(number).subroutine_at(address) >= 0) return number;
  return -1;
}

DebugInfo::DebugInfo(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DebugInfo::DebugInfo(DebugInfo&&) noexcept = default;
DebugInfo& DebugInfo::operator=(DebugInfo&&) noexcept = default;
DebugInfo::~DebugInfo() = default;

Result<DebugInfo> DebugInfo::open_file(const std::string& path) { return open_file(path, {}); }

Result<DebugInfo> DebugInfo::open_file(const std::string& path, const Options& options) {
  auto impl = std::make_unique<Impl>();
  TRY(impl->files.binary, DwarfFile::open(path));
  impl->files.path = path;
  impl->files.debug_directories = options.debug_directories;
  impl->start();
  return DebugInfo(std::move(impl));
}

Result<DebugInfo> DebugInfo::open_memory(ByteSpan bytes) {
  auto impl = std::make_unique<Impl>();
  TRY(impl->files.binary, DwarfFile::from_memory({bytes.begin(), bytes.end()}));
  impl->files.is_alone = true;
  impl->start();
  return DebugInfo(std::move(impl));
}

Result<DebugInfo> DebugInfo::open_memory(ByteSpan bytes, ByteSpan debug) {
  auto impl = std::make_unique<Impl>();
  TRY(impl->files.binary, DwarfFile::from_memory({bytes.begin(), bytes.end()}));
  TRY(impl->files.separate, DwarfFile::from_memory({debug.begin(), debug.end()}));
  impl->files.is_alone = true;
  impl->start();
  return DebugInfo(std::move(impl));
}

Result<DebugInfo> DebugInfo::open_memory(ByteSpan bytes, const std::string& path,
                                         const Options& options) {
  auto impl = std::make_unique<Impl>();
  TRY(impl->files.binary, DwarfFile::from_memory({bytes.begin(), bytes.end()}));
  impl->files.path = path;
  impl->files.debug_directories = options.debug_directories;
  impl->start();
  return DebugInfo(std::move(impl));
}

const std::vector<DebugNote>& DebugInfo::notes() const { return impl_->files.notes; }

const std::string& DebugInfo::debug_file() const {
  static const std::string kNone;
  return impl_->files.separate ? impl_->files.separate->path() : kNone;
}

std::vector<SourceFrame> DebugInfo::frames_at(uint64_t address) {
  const int32_t number = impl_->unit_at(address);
  if (number < 0) return {};
  DwarfUnit& unit = impl_->unit(number);
  unit.need_scopes();
  unit.need_lines();
  std::vector<SourceFrame> out;
  SourceFrame frame;
  const LineRow* row = unit.row_at(address);
  if (row != nullptr) {
    frame.file = unit.file(row->file);
    frame.line = row->line;
    frame.column = row->column;
  }
  const int32_t innermost = unit.subroutine_at(address);
  if (innermost < 0 && row != nullptr) out.push_back(frame);
  for (int32_t at = innermost; at >= 0;) {
    const Scope& scope = unit.scopes()[static_cast<size_t>(at)];
    at = scope.parent;
    if (scope.kind == Scope::Kind::kBlock) continue;
    Dwarf_Die die = scope.die;
    frame.function = name_of(die);
    frame.linkage_name = text_of(die, DW_AT_linkage_name);
    if (frame.linkage_name.empty()) frame.linkage_name = text_of(die, DW_AT_MIPS_linkage_name);
    frame.declared = static_cast<uint32_t>(number_of(die, DW_AT_decl_line).value_or(0));
    frame.is_inlined = scope.kind == Scope::Kind::kInlined;
    out.push_back(frame);
    if (!frame.is_inlined) break;
    // Where it was called is the place in the next frame.
    frame.file = unit.file(number_of(die, DW_AT_call_file).value_or(0));
    frame.line = static_cast<uint32_t>(number_of(die, DW_AT_call_line).value_or(0));
    frame.column = static_cast<uint32_t>(number_of(die, DW_AT_call_column).value_or(0));
  }
  return out;
}

namespace {

// The components of the wanted path are the last ones of the other.
bool ends_with_path(const std::filesystem::path& path, const std::filesystem::path& wanted) {
  auto a = path.end();
  auto b = wanted.end();
  while (b != wanted.begin()) {
    if (a == path.begin()) return false;
    if (*--a != *--b) return false;
  }
  return true;
}

}  // namespace

std::vector<uint64_t> DebugInfo::addresses_of_line(std::string_view file, uint32_t line) {
  std::vector<uint64_t> out;
  const auto wanted = std::filesystem::path(file).lexically_normal();
  if (wanted.empty() || line == 0) return out;
  for (size_t i = 0; i < impl_->units.size(); ++i) {
    DwarfUnit& unit = impl_->unit(static_cast<int32_t>(i));
    unit.need_lines();
    std::vector<bool> matches(unit.file_count());
    for (size_t f = 0; f < matches.size(); ++f)
      matches[f] = ends_with_path(std::filesystem::path(unit.file(f)).lexically_normal(), wanted);
    for (const LineRow& row : unit.rows())
      if (row.line == line && row.is_statement && !row.ends_sequence && row.address != 0 &&
          row.file < matches.size() && matches[row.file])
        out.push_back(row.address);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace twinrun
