// SPDX-License-Identifier: MIT
#include "trace/maps.h"

#include <algorithm>

namespace twinrun {

uint32_t MapHistory::file_number(const MapEvent& event) {
  if (event.path.empty()) return Mapping::kNoFile;
  Bytes id(event.build_id.begin(), event.build_id.end());
  // Only the mapping of a file's start carries the build id; later parts belong to the same file.
  if (id.empty()) {
    for (auto it = files_.rbegin(); it != files_.rend(); ++it) {
      if (it->path != event.path) continue;
      it->executable |= (event.prot & 4) != 0;
      return static_cast<uint32_t>(files_.rend() - it - 1);
    }
  }
  const auto [it, is_new] = file_numbers_.try_emplace({std::string(event.path), id},
                                                      static_cast<uint32_t>(files_.size()));
  if (is_new) files_.push_back({std::string(event.path), id, false});
  files_[it->second].executable |= (event.prot & 4) != 0;
  return it->second;
}

void MapHistory::add(Mapping mapping) {
  if (mapping.end.value <= mapping.start.value) return;
  live_[mapping.start.value] = static_cast<uint32_t>(mappings_.size());
  mappings_.push_back(mapping);
}

std::vector<Mapping> MapHistory::remove(uint64_t start, uint64_t end, uint64_t at) {
  std::vector<Mapping> removed;
  auto it = live_.upper_bound(start);
  if (it != live_.begin() && mappings_[std::prev(it)->second].end.value > start) --it;
  std::vector<Mapping> rest;
  while (it != live_.end() && it->first < end) {
    const uint32_t index = it->second;
    it = live_.erase(it);
    const Mapping old = mappings_[index];
    mappings_[index].to = at;
    past_.emplace(old.start.value, index);
    longest_past_ = std::max(longest_past_, old.end.value - old.start.value);
    Mapping inside = old;
    inside.from = at;
    if (old.start.value < start) {
      Mapping before = old;
      before.end = {start};
      before.from = at;
      rest.push_back(before);
      inside.start = {start};
      inside.offset += start - old.start.value;
    }
    if (old.end.value > end) {
      Mapping behind = old;
      behind.start = {end};
      behind.offset += end - old.start.value;
      behind.from = at;
      rest.push_back(behind);
      inside.end = {end};
    }
    removed.push_back(inside);
  }
  for (const Mapping& part : rest) add(part);
  return removed;
}

void MapHistory::map(const MapEvent& event, uint64_t at) {
  if (event.length > UINT64_MAX - event.address.value) return;
  const uint64_t end = event.address.value + event.length;
  remove(event.address.value, end, at);
  add({.start = event.address,
       .end = {end},
       .prot = event.prot,
       .kind = event.kind,
       .offset = event.offset,
       .file = file_number(event),
       .from = at});
}

void MapHistory::unmap(const Unmapped& range, uint64_t at) {
  if (range.length > UINT64_MAX - range.address.value) return;
  remove(range.address.value, range.address.value + range.length, at);
}

void MapHistory::protect(const Protected& range, uint64_t at) {
  if (range.length > UINT64_MAX - range.address.value) return;
  for (Mapping& part : remove(range.address.value, range.address.value + range.length, at)) {
    part.prot = range.prot | (part.prot & TW_PROT_SHARED);
    if (part.file != Mapping::kNoFile) files_[part.file].executable |= (range.prot & 4) != 0;
    add(part);
  }
}

void MapHistory::move(const Moved& range, uint64_t at) {
  const uint64_t from = range.from.value;
  const uint64_t to = range.to.value;
  if (range.length > UINT64_MAX - from) return;
  std::vector<Mapping> parts = remove(from, from + range.length, at);
  if (range.length > UINT64_MAX - to) return;
  remove(to, to + range.length, at);
  for (Mapping& part : parts) {
    part.start = {part.start.value - from + to};
    part.end = {part.end.value - from + to};
    add(part);
  }
}

void MapHistory::apply(const Event& event, uint64_t at) {
  std::visit(
      Effects{[&](const MapEvent& e) { map(e, at); }, [&](const Unmapped& e) { unmap(e, at); },
              [&](const Protected& e) { protect(e, at); }, [&](const Moved& e) { move(e, at); },
              // Bytes change, mappings do not.
              [](const MemoryEvent&) {}, [](const Clobbered&) {}, [](const NoEffect&) {}},
      memory_effect(event));
}

void MapHistory::inherit(const MapHistory& parent, uint64_t parent_block) {
  files_ = parent.files_;
  file_numbers_ = parent.file_numbers_;
  for (Mapping mapping : parent.mappings_) {
    if (mapping.from > parent_block || mapping.to <= parent_block) continue;
    mapping.from = 0;
    mapping.to = UINT64_MAX;
    add(mapping);
  }
}

const Mapping* MapHistory::find_latest(Addr address) const {
  auto it = live_.upper_bound(address.value);
  if (it == live_.begin()) return nullptr;
  const Mapping& mapping = mappings_[std::prev(it)->second];
  return address < mapping.end ? &mapping : nullptr;
}

const Mapping* MapHistory::find(Addr address, uint64_t at) const {
  const Mapping* now = find_latest(address);
  if (now != nullptr && now->from <= at) return now;
  for (auto it = past_.upper_bound(address.value); it != past_.begin();) {
    --it;
    if (address.value - it->first >= longest_past_) break;
    const Mapping& mapping = mappings_[it->second];
    if (address < mapping.end && mapping.from <= at && at < mapping.to) return &mapping;
  }
  return nullptr;
}

Result<MapHistory> map_history(const Reader& reader, uint32_t number) {
  const Process* process = reader.process(number);
  if (process == nullptr) return fail("T008", "there is no process {}", number);
  std::vector<const Process*> line;
  for (const Process* p = process; p != nullptr; p = reader.process(p->info.parent)) {
    line.push_back(p);
    if (p->info.origin != TW_ORIGIN_FORK) break;
  }
  MapHistory out;
  for (size_t i = line.size(); i-- > 0;) {
    if (i + 1 < line.size()) {
      const MapHistory parent = std::move(out);
      out = {};
      out.inherit(parent, line[i]->info.parent_block);
    }
    for (const uint32_t segment : line[i]->segments) {
      TRY(const SegmentData data, reader.load(segment, stream_bit(TW_STREAM_EVENTS)));
      EventReader events(data.events());
      Event event;
      while (events.next(event))
        out.apply(event, reader.frames()[segment].segment.first_block + event.at);
      if (events.failed()) return fail("T006", "the events of a segment are cut short");
    }
  }
  return out;
}

}  // namespace twinrun
