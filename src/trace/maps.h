// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "trace/event_effects.h"
#include "trace/reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace twinrun {

/// A file that a process mapped.
struct MappedFile {
  std::string path;
  Bytes build_id;  // empty when unknown
  bool executable = false;

  auto operator<=>(const MappedFile&) const = default;
};

/// Addresses [start, end) that had one content from block `from` up to block `to` of the process.
struct Mapping {
  Addr start;
  Addr end;
  uint32_t prot = 0;
  uint32_t kind = 0;        // TwMapKind
  uint64_t offset = 0;      // in the file, of `start`
  uint32_t file = kNoFile;  // index into MapHistory::files()
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;

  static constexpr uint32_t kNoFile = ~0u;
};

/// The address space of a process over time, made from its MAP, UNMAP, PROTECT and REMAP events.
class MapHistory {
 public:
  /// `at` is the number of blocks that the process had begun. Other events are ignored.
  void apply(const Event& event, uint64_t at);
  /// The address space of the forking process, as it was after `parent_block` of its blocks.
  void inherit(const MapHistory& parent, uint64_t parent_block);

  /// What was at `address` when `at` blocks had begun; nullptr for nothing. O(log n) for the
  /// present and for addresses that were never remapped.
  [[nodiscard]] const Mapping* find(Addr address, uint64_t at) const;
  [[nodiscard]] const Mapping* find_latest(Addr address) const;
  /// In the order in which they began.
  [[nodiscard]] const std::vector<Mapping>& all() const { return mappings_; }
  [[nodiscard]] const std::vector<MappedFile>& files() const { return files_; }

 private:
  void add(Mapping mapping);
  void map(const MapEvent& event, uint64_t at);
  void unmap(const Unmapped& range, uint64_t at);
  void protect(const Protected& range, uint64_t at);
  void move(const Moved& range, uint64_t at);
  /// Ends what is in [start, end) and returns the ended parts, cut to the range.
  std::vector<Mapping> remove(uint64_t start, uint64_t end, uint64_t at);
  uint32_t file_number(const MapEvent& event);

  std::vector<Mapping> mappings_;
  std::map<uint64_t, uint32_t> live_;       // by start
  std::multimap<uint64_t, uint32_t> past_;  // ended ones, by start
  uint64_t longest_past_ = 0;
  std::vector<MappedFile> files_;
  std::map<std::pair<std::string, Bytes>, uint32_t> file_numbers_;
};

/// Reads all events of a process (and of those it was forked from).
Result<MapHistory> map_history(const Reader& reader, uint32_t process);

}  // namespace twinrun
