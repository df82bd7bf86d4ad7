// SPDX-License-Identifier: MIT
#include "program/function_table.h"

#include "base/check.h"
#include "program/instruction.h"

#include <algorithm>
#include <array>
#include <map>

namespace twinrun {
namespace {

using Section = CodeImage::Section;

// The executable section that holds the address.
const Section* section_of(const std::vector<Section>& sections, uint64_t address) {
  auto it = std::upper_bound(sections.begin(), sections.end(), address,
                             [](uint64_t a, const Section& s) { return a < s.address; });
  if (it == sections.begin()) return nullptr;
  --it;
  return address - it->address < it->size ? &*it : nullptr;
}

bool by_address(const CodeFunction& a, const CodeFunction& b) { return a.address < b.address; }

}  // namespace

std::string CodeFunction::label() const {
  return name.empty() ? fmt::format("{:#x}", address) : name;
}

std::optional<std::string_view> cold_part_of(std::string_view name) {
  constexpr std::string_view kCold = ".cold";
  const size_t digits_from = name.find_last_not_of("0123456789");
  if (digits_from != std::string_view::npos && digits_from + 1 < name.size() &&
      name[digits_from] == '.')
    name = name.substr(0, digits_from);
  if (!name.ends_with(kCold) || name.size() == kCold.size()) return std::nullopt;
  return name.substr(0, name.size() - kCold.size());
}

FunctionTable FunctionTable::make(const CodeImage& image, const ElfSymbols* symbols,
                                  std::span<const FrameRange> frames,
                                  std::span<const uint64_t> called) {
  FunctionTable out;
  const std::vector<Section> sections = image.code_sections();
  if (symbols != nullptr) out.add_symbols(*symbols, sections);
  out.add_frames(frames, sections);
  out.add_called(called, sections);
  out.name_stubs(image, sections);
  out.children_.resize(out.functions_.size());
  out.link_cold_parts();
  return out;
}

void FunctionTable::add_symbols(const ElfSymbols& symbols, const std::vector<Section>& sections) {
  for (const Function& f : symbols.functions()) {
    const Section* section = section_of(sections, f.address);
    if (section == nullptr) continue;
    const uint64_t room = section->address + section->size - f.address;
    functions_.push_back({.address = f.address,
                          .size = std::min(f.size, room),
                          .source = FunctionSource::kSymbol,
                          .is_stub = f.name.ends_with("@plt"),
                          .name = f.name,
                          .aliases = f.aliases});
  }
}

void FunctionTable::merge(std::vector<CodeFunction> more) {
  functions_.insert(functions_.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  std::stable_sort(functions_.begin(), functions_.end(), by_address);
  for (size_t i = 0; i + 1 < functions_.size(); ++i) {
    const uint64_t room = functions_[i + 1].address - functions_[i].address;
    functions_[i].size = std::min(functions_[i].size, room);
  }
}

void FunctionTable::add_frames(std::span<const FrameRange> frames,
                               const std::vector<Section>& sections) {
  std::vector<CodeFunction> more;
  uint64_t covered = 0;  // by the entries taken
  for (const FrameRange& range : frames) {
    const Section* section = section_of(sections, range.start);
    if (section == nullptr || range.start < covered || find(range.start)) continue;
    const uint64_t room = section->address + section->size - range.start;
    more.push_back({.address = range.start,
                    .size = std::min(range.size, room),
                    .source = FunctionSource::kFrame,
                    .is_piece = range.is_piece});
    covered = more.back().end();
  }
  merge(std::move(more));
}

void FunctionTable::add_called(std::span<const uint64_t> called,
                               const std::vector<Section>& sections) {
  std::vector<uint64_t> sorted(called.begin(), called.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<CodeFunction> more;
  for (const uint64_t address : sorted) {
    const Section* section = section_of(sections, address);
    if (section == nullptr || find(address)) continue;
    more.push_back({.address = address,
                    .size = section->address + section->size - address,
                    .source = FunctionSource::kObserved});
  }
  merge(std::move(more));
}

// Stubs jump through a slot that the loader fills, and begin at multiples of 8. Where symbols do
// not name them (.plt.got; all of them when there are no symbols) the slots do. One entry of
// .eh_frame covers all stubs of a section: it is cut into them.
void FunctionTable::name_stubs(const CodeImage& image, const std::vector<Section>& sections) {
  constexpr uint64_t kAlignment = 8;
  constexpr std::array<uint8_t, 4> kEndbr64{0xf3, 0x0f, 0x1e, 0xfa};
  const Decoder decoder;
  std::vector<CodeFunction> stubs;
  for (CodeFunction& f : functions_) {
    const Section* section = section_of(sections, f.address);
    if (f.source == FunctionSource::kSymbol || section == nullptr ||
        !(section->name.empty() || section->name.starts_with(".plt")))
      continue;
    const size_t first = stubs.size();
    for (uint64_t at = (f.address + kAlignment - 1) & ~(kAlignment - 1); at < f.end();
         at += kAlignment) {
      ByteSpan code = image.at(at);
      uint64_t jump = at;
      if (code.size() > 4 && std::equal(kEndbr64.begin(), kEndbr64.end(), code.begin())) jump += 4;
      const auto instruction = decoder.decode(image.at(jump), jump);
      if (!instruction || instruction->flow != Flow::kIndirectJump || !instruction->has_slot)
        continue;
      if (const CodeImage::Import* import = image.import(instruction->target))
        stubs.push_back({.address = at,
                         .size = f.end() - at,
                         .source = f.source,
                         .is_stub = true,
                         .name = import->name + "@plt"});
    }
    if (stubs.size() > first && stubs[first].address == f.address) {
      f = stubs[first];
      stubs.erase(stubs.begin() + static_cast<ptrdiff_t>(first));
    }
  }
  merge(std::move(stubs));
}

void FunctionTable::link_cold_parts() {
  std::map<std::string_view, std::vector<uint32_t>> by_name;
  for (uint32_t i = 0; i < size(); ++i) by_name[functions_[i].name].push_back(i);
  for (uint32_t i = 0; i < size(); ++i) {
    const auto parent = cold_part_of(functions_[i].name);
    if (!parent) continue;
    // Static functions of several files can share a name; then the jumps between them decide.
    if (const auto it = by_name.find(*parent); it != by_name.end() && it->second.size() == 1)
      link(i, it->second[0]);
  }
}

std::optional<uint32_t> FunctionTable::find(uint64_t address) const {
  auto it = std::upper_bound(functions_.begin(), functions_.end(), address,
                             [](uint64_t a, const CodeFunction& f) { return a < f.address; });
  if (it == functions_.begin()) return std::nullopt;
  --it;
  if (address - it->address >= it->size) return std::nullopt;
  return static_cast<uint32_t>(it - functions_.begin());
}

std::optional<uint32_t> FunctionTable::at(uint64_t address) const {
  const auto found = find(address);
  return found && functions_[*found].address == address ? found : std::nullopt;
}

std::vector<uint32_t> FunctionTable::named(std::string_view name) const {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < size(); ++i)
    if (functions_[i].name == name || std::ranges::binary_search(functions_[i].aliases, name))
      out.push_back(i);
  return out;
}

uint32_t FunctionTable::whole(uint32_t index) const {
  while (functions_[index].parent != CodeFunction::kNone) index = functions_[index].parent;
  return index;
}

std::vector<uint32_t> FunctionTable::parts(uint32_t index) const {
  std::vector<uint32_t> out{index};
  for (size_t i = 0; i < out.size(); ++i)
    out.insert(out.end(), children_[out[i]].begin(), children_[out[i]].end());
  return out;
}

bool FunctionTable::link(uint32_t part, uint32_t parent) {
  CHECK(part < size() && parent < size()) << part << parent;
  if (functions_[part].parent != CodeFunction::kNone || whole(parent) == part) return false;
  functions_[part].parent = parent;
  children_[parent].push_back(part);
  return true;
}

}  // namespace twinrun
