// SPDX-License-Identifier: MIT
#include "match/binary_shape.h"

#include "match/mix.h"

#include <algorithm>
#include <cstring>

namespace twinrun {

class BinaryShapeMaker {
 public:
  explicit BinaryShapeMaker(const ModuleCode& code) : code_(code) { out_.code_ = &code; }

  BinaryShape make() {
    find_data_sections();
    if (is_fixed()) decoder_.set_image(image_ranges());
    const FunctionTable& functions = code_.flow().functions();
    out_.by_function_.assign(functions.size(), kNoMatch);
    for (uint32_t f = 0; f < functions.size(); ++f) add_procedure(f);
    add_edges();
    for (uint32_t b = 0; b < out_.blocks_.size(); ++b)
      out_.starts_.emplace_back(out_.blocks_[b].start, b);
    std::ranges::sort(out_.starts_);
    find_data();
    resolve();
    add_calls();
    return std::move(out_);
  }

 private:
  // Constants of the code are addresses only where the loader leaves the image where it is.
  [[nodiscard]] bool is_fixed() const {
    constexpr uint64_t kLowest = 0x10000;
    const auto& regions = code_.image().regions();
    return !regions.empty() && regions[0].address >= kLowest;
  }

  void find_data_sections() {
    auto& sections = out_.data_sections_;
    const auto writable = [&](uint64_t address) {
      const CodeImage::Region* region = code_.image().region(address);
      return region != nullptr && region->writable;
    };
    for (const CodeImage::Section& s : code_.image().sections()) {
      // A header can say anything; what counts is what is there.
      const uint64_t size = std::min<uint64_t>(s.size, code_.image().at(s.address).size());
      if (!s.executable && size != 0 && s.address != 0 && s.name != ".eh_frame" &&
          s.name != ".eh_frame_hdr" && s.name != ".gcc_except_table" &&
          (sections.empty() || s.address >= sections.back().end))
        sections.push_back({s.address, s.address + size, true, writable(s.address)});
    }
    if (sections.empty())
      for (const CodeImage::Region& r : code_.image().regions())
        if (!r.executable) sections.push_back({r.address, r.end(), true, r.writable});
    // What has no bytes in the file stands behind all that has.
    if (const auto extent = code_.symbols().extent()) {
      uint64_t last = 0;
      for (const CodeImage::Region& r : code_.image().regions()) last = std::max(last, r.end());
      if (!sections.empty()) last = std::max(last, sections.back().end);
      if (last < extent->end) sections.push_back({last, extent->end, false, true});
    }
  }

  [[nodiscard]] std::vector<ShapeDecoder::Range> image_ranges() const {
    std::vector<ShapeDecoder::Range> ranges;
    ranges.reserve(out_.data_sections_.size());
    for (const auto& s : out_.data_sections_) ranges.push_back({s.start, s.end});
    for (const auto& s : code_.image().code_sections())
      ranges.push_back({s.address, s.address + s.size});
    return ranges;
  }

  void add_procedure(uint32_t function) {
    const CodeFunction& f = code_.flow().functions()[function];
    const Cfg& cfg = code_.flow().cfg(function);
    if (f.parent != CodeFunction::kNone || cfg.blocks.empty()) return;
    const auto number = static_cast<uint32_t>(out_.procedures_.size());
    out_.by_function_[function] = number;
    ShapeProcedure procedure{.function = function,
                             .address = f.address,
                             .first_block = static_cast<uint32_t>(out_.blocks_.size()),
                             .block_count = static_cast<uint32_t>(cfg.blocks.size()),
                             .is_stub = f.is_stub,
                             .name = procedure_name(f.name)};
    procedure.entry = procedure.first_block + cfg.entry;
    for (const CodeBlock& b : cfg.blocks) {
      ShapeBlock block{.start = b.start,
                       .procedure = number,
                       .first = static_cast<uint32_t>(out_.instructions_.size()),
                       .ends = b.ends,
                       .landing_pad = b.landing_pad};
      for (uint64_t at = b.start; at < b.end;) {
        const auto shape = decoder_.decode(code_.image().at(at), at);
        if (!shape) break;
        out_.instructions_.push_back({*shape});
        if (!shape->is_padding) ++block.substance;
        at += shape->length;
      }
      block.count = static_cast<uint32_t>(out_.instructions_.size()) - block.first;
      procedure.instructions += block.count;
      out_.blocks_.push_back(block);
    }
    out_.procedures_.push_back(std::move(procedure));
  }

  template <typename Item>
  static void make_rows(size_t rows, std::vector<std::pair<uint32_t, Item>>& items,
                        std::vector<uint32_t>& begin, std::vector<Item>& out) {
    std::ranges::stable_sort(items, {}, [](const auto& item) { return item.first; });
    begin.assign(rows + 1, 0);
    for (const auto& [row, item] : items) {
      ++begin[row + 1];
      out.push_back(item);
    }
    for (size_t i = 0; i < rows; ++i) begin[i + 1] += begin[i];
  }

  void add_edges() {
    std::vector<std::pair<uint32_t, ShapeEdge>> forward;
    std::vector<std::pair<uint32_t, ShapeEdge>> backward;
    for (const ShapeProcedure& p : out_.procedures_)
      for (const CfgEdge& e : code_.flow().cfg(p.function).edges) {
        forward.emplace_back(p.first_block + e.from, ShapeEdge{p.first_block + e.to, e.kind});
        backward.emplace_back(p.first_block + e.to, ShapeEdge{p.first_block + e.from, e.kind});
      }
    make_rows(out_.blocks_.size(), forward, out_.successor_begin_, out_.successors_);
    make_rows(out_.blocks_.size(), backward, out_.predecessor_begin_, out_.predecessors_);
  }

  [[nodiscard]] std::optional<uint32_t> data_section(uint64_t address) const {
    const auto& all = out_.data_sections_;
    const auto it = std::ranges::upper_bound(all, address, {}, &BinaryShape::DataSection::start);
    if (it == all.begin() || address >= std::prev(it)->end) return std::nullopt;
    return static_cast<uint32_t>(it - all.begin()) - 1;
  }

  [[nodiscard]] uint64_t word(uint64_t address) const {
    uint64_t value = 0;
    const ByteSpan bytes = code_.image().at(address);
    if (bytes.size() >= sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  // Pointers in data: what the loader relocates; of an image that stays where it is, aligned words
  // that are addresses of it.
  [[nodiscard]] std::vector<uint64_t> pointers() const {
    if (!is_fixed()) return code_.image().pointers();
    std::vector<uint64_t> out;
    for (const auto& section : out_.data_sections_) {
      if (!section.has_bytes) continue;
      for (uint64_t at = (section.start + 7) & ~uint64_t{7}; at + 8 <= section.end; at += 8) {
        const uint64_t value = word(at);
        if (data_section(value) || code_.image().is_executable(value)) out.push_back(at);
      }
    }
    return out;
  }

  void find_data() {
    std::vector<uint64_t> starts;
    const auto add = [&](uint64_t address) {
      if (address != 0 && data_section(address)) starts.push_back(address);
    };
    for (const ShapeInstruction& i : out_.instructions_) add(i.reference);
    const std::vector<uint64_t> slots = pointers();
    for (const uint64_t slot : slots) add(word(slot));
    std::ranges::sort(starts);
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    for (size_t i = 0; i < starts.size(); ++i) {
      const std::optional<uint32_t> section = data_section(starts[i]);
      if (!section) continue;  // only those with one were added
      uint64_t end = out_.data_sections_[*section].end;
      if (i + 1 < starts.size()) end = std::min(end, starts[i + 1]);
      out_.data_.push_back(
          {.address = starts[i], .size = end - starts[i], .hash = 0, .section = *section});
    }
    auto slot = slots.begin();
    for (ShapeData& data : out_.data_) {
      while (slot != slots.end() && *slot < data.address) ++slot;
      auto last = slot;
      while (last != slots.end() && *last < data.address + data.size) ++last;
      data.hash = hash_of(data, std::span(slot, last));
      data.only_addresses = 8 * static_cast<uint64_t>(last - slot) + 8 > data.size && last != slot;
    }
  }

  // Addresses in the data are left out: they change from build to build. What constant text they
  // point to does not.
  [[nodiscard]] uint64_t hash_of(const ShapeData& data, std::span<const uint64_t> slots) const {
    const ByteSpan bytes = out_.contents(data);
    Mix mix;
    bool has_contents = false;
    size_t at = 0;
    // A string that nothing refers to behind its end belongs to nobody; but padding does not count.
    size_t size = bytes.size();
    while (size > 0 && bytes[size - 1] == 0) --size;
    for (size_t next = 0; at < size;) {
      while (next < slots.size() && slots[next] < data.address + at) ++next;
      if (next < slots.size() && slots[next] == data.address + at) {
        mix.add(1).add(pointed_text(word(slots[next])));
        has_contents = true;
        at += 8;
        continue;
      }
      uint64_t stop = size;
      if (next < slots.size()) stop = std::min<uint64_t>(stop, slots[next] - data.address);
      for (; at < stop; at += std::min<size_t>(8, stop - at)) {
        uint64_t value = 0;
        std::memcpy(&value, bytes.data() + at, std::min<size_t>(8, stop - at));
        mix.add(value);
        has_contents |= value != 0;
      }
    }
    if (!has_contents) return 0;
    return mix.add(size).value() | 1;
  }

  [[nodiscard]] uint64_t pointed_text(uint64_t address) const {
    constexpr size_t kMost = 32;
    const auto section = data_section(address);
    if (!section || out_.data_sections_[*section].is_writable) return 0;
    const ByteSpan bytes = code_.image().at(address);
    Mix mix;
    for (size_t i = 0; i < std::min(bytes.size(), kMost); ++i) {
      if (bytes[i] < 9 || bytes[i] > 126) break;
      mix.add(bytes[i]);
    }
    return mix.value();
  }

  void resolve() {
    for (ShapeInstruction& i : out_.instructions_) {
      if (i.reference == 0) continue;
      if (const auto block = out_.block_at(i.reference)) {
        i.target_kind = TargetKind::kBlock;
        i.target = *block;
      } else if (const auto procedure = out_.procedure_around(i.reference)) {
        i.target_kind = TargetKind::kCode;
        i.target = *procedure;
      } else if (const auto data = out_.data_around(i.reference)) {
        i.target_kind = TargetKind::kData;
        i.target = *data;
      }
    }
  }

  void add_calls() {
    std::vector<std::pair<uint32_t, uint32_t>> forward;
    std::vector<std::pair<uint32_t, uint32_t>> backward;
    for (const ShapeBlock& block : out_.blocks_)
      for (const ShapeInstruction& i : out_.instructions_of(block)) {
        if (i.target_kind != TargetKind::kBlock) continue;
        const uint32_t callee = out_.blocks_[i.target].procedure;
        const bool is_entry = out_.procedures_[callee].entry == i.target;
        if (!is_entry || (callee == block.procedure && i.flow != Flow::kCall)) continue;
        forward.emplace_back(block.procedure, callee);
        backward.emplace_back(callee, block.procedure);
      }
    make_rows(out_.procedures_.size(), forward, out_.callee_begin_, out_.callees_);
    make_rows(out_.procedures_.size(), backward, out_.caller_begin_, out_.callers_);
  }

  const ModuleCode& code_;
  ShapeDecoder decoder_;
  BinaryShape out_;
};

BinaryShape BinaryShape::make(const ModuleCode& code) { return BinaryShapeMaker(code).make(); }

std::optional<uint32_t> BinaryShape::block_at(uint64_t address) const {
  const auto it = std::ranges::lower_bound(starts_, std::pair(address, uint32_t{0}));
  if (it == starts_.end() || it->first != address) return std::nullopt;
  return it->second;
}

std::optional<uint32_t> BinaryShape::block_around(uint64_t address) const {
  const auto it = std::ranges::upper_bound(starts_, std::pair(address, kNoMatch));
  if (it == starts_.begin()) return std::nullopt;
  const uint32_t found = std::prev(it)->second;
  const ShapeBlock& block = blocks_[found];
  if (address >= address_of(block, block.count)) return std::nullopt;
  return found;
}

std::optional<uint32_t> BinaryShape::procedure_around(uint64_t address) const {
  const auto function = code_->flow().functions().find(address);
  if (!function) return std::nullopt;
  const uint32_t procedure = by_function_[code_->flow().functions().whole(*function)];
  return procedure == kNoMatch ? std::nullopt : std::optional(procedure);
}

std::optional<uint32_t> BinaryShape::data_around(uint64_t address) const {
  const auto it = std::ranges::upper_bound(data_, address, {}, &ShapeData::address);
  if (it == data_.begin()) return std::nullopt;
  const ShapeData& data = *std::prev(it);
  if (address - data.address >= std::max<uint64_t>(data.size, 1)) return std::nullopt;
  return static_cast<uint32_t>(it - data_.begin()) - 1;
}

uint64_t BinaryShape::address_of(const ShapeBlock& block, uint32_t instruction) const {
  uint64_t address = block.start;
  for (uint32_t i = 0; i < instruction; ++i) address += instructions_[block.first + i].length;
  return address;
}

ByteSpan BinaryShape::contents(const ShapeData& data) const {
  if (!data_sections_[data.section].has_bytes) return {};
  const ByteSpan bytes = code_->image().at(data.address);
  return bytes.first(std::min<uint64_t>(bytes.size(), data.size));
}

}  // namespace twinrun
