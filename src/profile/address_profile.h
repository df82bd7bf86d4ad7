// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// What a profiler counted in one binary, by addresses as in its ELF file and not yet held against
/// its code. Every format is read into this; what the format cannot tell stays empty.
struct AddressProfile {
  /// An end of a branch that is in no code of the binary.
  static constexpr uint64_t kElsewhere = ~uint64_t{0};

  /// Control went from the instruction at `from` to the one at `to`: a jump that was taken, a call,
  /// a return. Some formats also tell when a jump was not taken, or that a block ran into the next.
  struct Branch {
    uint64_t from = 0;
    uint64_t to = 0;
    uint64_t count = 0;
    uint64_t mispredicts = 0;
    bool operator==(const Branch&) const = default;
  };
  /// Everything from the instruction `first` to the instruction `last` was executed, in a row.
  struct Range {
    uint64_t first = 0;
    uint64_t last = 0;
    uint64_t count = 0;
    bool operator==(const Range&) const = default;
  };
  struct Hits {
    uint64_t address = 0;
    uint64_t count = 0;
    bool operator==(const Hits&) const = default;
  };

  std::vector<Branch> branches;
  std::vector<Range> ranges;
  std::vector<Hits> hits;  // executions of instructions, or samples at them
  bool is_exact = false;   // every execution was counted, not a sample
  /// `hits` has all that was executed, so that what is not there was not.
  bool has_every_instruction = false;
  bool has_every_branch = false;  // the same of `branches` that were taken
  std::string build_id;           // in hexadecimal; empty: the format does not tell
  uint64_t unresolved = 0;        // counts of records that name what the binary does not have

  bool operator==(const AddressProfile&) const = default;

  void add_branch(uint64_t from, uint64_t to, uint64_t count, uint64_t mispredicts = 0);
  void add_range(uint64_t first, uint64_t last, uint64_t count);
  void add_hits(uint64_t address, uint64_t count);
  /// Sorts, and adds up what is there more than once. Readers end with it.
  void normalize();
};

/// `a + b`, or the greatest number.
constexpr uint64_t add_counts(uint64_t a, uint64_t b) {
  return a > ~uint64_t{0} - b ? ~uint64_t{0} : a + b;
}

}  // namespace twinrun
