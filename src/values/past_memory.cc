// SPDX-License-Identifier: MIT
#include "values/past_memory.h"

#include <algorithm>
#include <cstring>

namespace twinrun {

bool PastMemory::read(uint64_t address, std::span<uint8_t> out) {
  if (address + out.size() < address) return false;
  // Neighbours that nobody has asked for yet are looked for together.
  for (size_t i = 0; i < out.size();) {
    const auto is_new = [&](size_t at) {
      return (line_of(address + at).asked >> ((address + at) % kLineSize) & 1) == 0;
    };
    size_t end = i;
    while (end < out.size() && end - i < kLineSize && is_new(end)) ++end;
    if (end > i) look_for(address + i, static_cast<uint32_t>(end - i));
    i = std::max(end, i + 1);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const Line& line = line_of(address + i);
    const uint64_t at = (address + i) % kLineSize;
    if ((line.known >> at & 1) == 0) return false;
    out[i] = line.bytes[at];
  }
  return true;
}

void PastMemory::write(uint64_t address, ByteSpan bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    Line& line = line_of(address + i);
    const uint64_t at = (address + i) % kLineSize;
    line.bytes[at] = bytes[i];
    line.asked |= uint64_t{1} << at;
    line.known |= uint64_t{1} << at;
  }
}

void PastMemory::forget(uint64_t address, uint64_t length) {
  // A mapping can be huge; beyond some lines it is cheaper to go over those that are known.
  constexpr uint64_t kFew = 1 << 16;
  if (length > kFew) {
    for (auto& [number, line] : lines_) {
      if (number * kLineSize + kLineSize > address && number * kLineSize < address + length)
        line.known = 0;
    }
    // Bytes that were not asked for yet would be those from before.
    gone_.emplace_back(address, length);
    return;
  }
  for (uint64_t i = 0; i < length; ++i) {
    Line& line = line_of(address + i);
    const uint64_t bit = uint64_t{1} << ((address + i) % kLineSize);
    line.asked |= bit;
    line.known &= ~bit;
  }
}

void PastMemory::look_for(uint64_t address, uint32_t size) {
  for (uint32_t i = 0; i < size; ++i)
    line_of(address + i).asked |= uint64_t{1} << ((address + i) % kLineSize);
  if (std::ranges::any_of(gone_, [&](const auto& range) {
        return address < range.first + range.second && range.first < address + size;
      }))
    return;
  const auto writers =
      view_.slicer.writers().memory(at_, address, size, LastWriters::Search::kAccesses);
  if (!writers) return;
  for (const BytesWritten& part : *writers) {
    Bytes bytes(part.count);
    const auto known = written(part.writer, address + part.first, bytes);
    if (known && *known) write(address + part.first, bytes);
  }
}

Result<bool> PastMemory::written(const LastWriter& writer, uint64_t address,
                                 std::span<uint8_t> out) {
  switch (writer.kind) {
    case LastWriter::Kind::kStart: return false;
    case LastWriter::Kind::kParent: return from_parent(address, out);
    case LastWriter::Kind::kOutside:
      switch (writer.outside.kind) {
        case OutsideWrite::Kind::kSyscall:
        case OutsideWrite::Kind::kSignal:
        case OutsideWrite::Kind::kStartup: return from_event(writer, address, out);
        case OutsideWrite::Kind::kMapped: return from_mapping(writer, address, out);
        default: return false;
      }
    case LastWriter::Kind::kStatement: break;
  }
  ProcessValues& values = *view_.values;
  TRY(const BlockFlow* flow, view_.slicer.flow_at(writer.block));
  const MemoryAccess& access = flow->code->accesses[writer.access];
  TRY(const SegmentValues* segment, values.segment(writer.block.segment));
  const uint32_t index = segment->first_access[writer.block.ordinal] + writer.access;
  const uint64_t skip = address - segment->addresses[index];
  if (skip + out.size() > access.size) return false;
  if (access.size <= 8) {
    uint64_t value = segment->values[index];
    std::memcpy(out.data(), reinterpret_cast<const uint8_t*>(&value) + skip, out.size());
    return true;
  }
  TRY(Regenerator* const there, values.run_to(writer.block));
  std::memcpy(out.data(), there->machine().at(access.value) + skip, out.size());
  return true;
}

Result<bool> PastMemory::from_event(const LastWriter& writer, uint64_t address,
                                    std::span<uint8_t> out) {
  TRY(const SegmentData data, view_.of.reader().load(view_.process().segments[writer.block.segment],
                                                     stream_bit(TW_STREAM_EVENTS)));
  EventReader events(data.events());
  uint32_t number = 0;
  for (Event event; events.next(event); ++number) {
    if (number != writer.outside.event) continue;
    const auto memory = MemoryEvent::parse(event);
    if (!memory) return false;
    const uint64_t skip = address - memory->address.value;
    if (skip + out.size() > memory->bytes.size()) return false;
    std::memcpy(out.data(), memory->bytes.data() + skip, out.size());
    return true;
  }
  return false;
}

Result<bool> PastMemory::from_mapping(const LastWriter& writer, uint64_t address,
                                      std::span<uint8_t> out) {
  const uint64_t blocks = view_.number_of({writer.block.segment, writer.outside.at});
  const Mapping* mapping = view_.maps.find({address}, blocks);
  if (mapping == nullptr || address + out.size() > mapping->end.value) return false;
  // Others write to it unseen.
  if ((mapping->prot & TW_PROT_SHARED) != 0) return false;
  if (mapping->file == Mapping::kNoFile) {
    std::ranges::fill(out, uint8_t{0});
    return true;
  }
  return view_.of.binaries().read(view_.maps.files()[mapping->file],
                                  mapping->offset + (address - mapping->start.value),
                                  (mapping->prot & TW_PROT_WRITE) != 0, out);
}

Result<bool> PastMemory::from_parent(uint64_t address, std::span<uint8_t> out) {
  if (!parent_) {
    TRY(const auto origin, fork_origin(view_));
    if (!origin) return false;
    parent_ = std::make_unique<PastMemory>(*origin->parent, origin->at);
  }
  return parent_->read(address, out);
}

}  // namespace twinrun
