// SPDX-License-Identifier: MIT
// When the pieces of an archive were executed, by function: then a question about a path looks at
// what its function did and at nothing else.
//
// A record is a piece, how far it begins behind the function's last one, and how long each of its
// calls took. Programs do the same things in the same time over and over: equal records are stored
// once, and a function has the numbers of its records in the order in which they ended. What a
// question finds in a record is remembered for the next time that it comes up, so it costs a few
// nanoseconds a record and about one an occurrence.
//
// The place of the state that a piece goes on from: pieces of an invocation follow each other, but
// with recursion those of others come in between. So a record has its level, the number of
// invocations of the same function that are active around it.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "paths/path_archive_reader.h"
#include "paths/path_event.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace twinrun {

class PathTimes {
 public:
  /// Walks over the whole archive, whose bytes must outlive the result. Nothing when the result
  /// would need more memory than that, beside the archive's tables.
  static Result<std::optional<PathTimes>> make(ByteSpan archive, size_t most_memory);

  [[nodiscard]] PathFound find(const PathQuery& query, bool keeps_all) const;
  [[nodiscard]] size_t memory() const;
  /// Of the archive.
  [[nodiscard]] uint64_t chunks() const { return chunks_; }

 private:
  struct Function {
    Bytes records;  // one behind the other
    std::vector<uint32_t> ends;
    Bytes order;  // numbers of records
    bool is_recursive = false;
    // While it is made.
    boost::unordered_flat_map<uint64_t, uint32_t> numbers;  // of records, by hash
    PathPosition last_begin = 0;
    uint32_t active = 0;
  };
  struct Record {
    uint32_t piece = 0;
    uint32_t level = 0;
    bool goes_on = false;
    int64_t distance = 0;  // from where the last one began
    ByteSpan calls;        // events of each; the last may be missing
  };
  class Sink;
  class Search;

  explicit PathTimes(PathArchiveReader reader) : reader_(std::move(reader)) {}
  uint32_t place(uint32_t number);
  void add(Function& function, ByteSpan record);
  [[nodiscard]] static Record record(const Function& function, uint32_t number);

  PathArchiveReader reader_;  // has the segments and pieces
  uint64_t chunks_ = 0;
  std::vector<Function> functions_;
  boost::unordered_flat_map<uint32_t, uint32_t> places_;  // in functions_
  std::vector<uint32_t> small_places_;                    // + 1, of functions with small numbers
};

}  // namespace twinrun
