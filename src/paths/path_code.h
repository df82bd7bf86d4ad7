// SPDX-License-Identifier: MIT
// What the numbers in the path events of a recording mean: names, blocks, edges and source lines of
// the functions that were executed. Kept with the traces, so that a question needs neither the
// binaries nor their debug information.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A line of the source; the file is a number of PathCode::files.
struct PathLine {
  uint32_t file = 0;
  uint32_t line = 0;
  auto operator<=>(const PathLine&) const = default;
};

struct PathBlock {
  uint64_t address = 0;  // as in the ELF file; of code without a file, in memory
  uint64_t end = 0;
  uint32_t instructions = 0;
  bool leaves = false;          // the function can be left here
  bool is_open = false;         // it can have more successors than those
  std::vector<uint32_t> next;   // blocks, ascending
  std::vector<PathLine> lines;  // of its instructions in their order, none twice in a row
};

/// Calls that a block was seen to make.
struct PathCall {
  uint32_t block = 0;
  uint32_t callee = 0;
  uint64_t count = 0;
  auto operator<=>(const PathCall&) const = default;
};

/// What is looked at only for the function that is asked about.
struct PathBody {
  uint32_t entry = 0;
  std::vector<PathBlock> blocks;
  std::vector<PathCall> calls;  // ascending
};

struct PathFunction {
  std::string name;  // or its address, if it has none
  std::vector<std::string> aliases;
  uint32_t module = 0;  // of PathCode::modules
  uint64_t address = 0;
  bool has_graph = false;  // else the blocks are what was executed, without edges
};

struct PathModule {
  std::string path;  // empty: code without a file
  Bytes build_id;
  bool is_program = false;  // a file that a process executes
};

/// Of all processes of a recording. Functions are read one by one.
class PathCode {
 public:
  std::vector<PathModule> modules;
  std::vector<std::string> files;  // of the source
  std::vector<PathFunction> functions;

  /// Of a function that has a number.
  [[nodiscard]] Result<PathBody> body(uint32_t function) const;
  /// All of them, in order.
  Result<void> each_body(
      const std::function<void(uint32_t function, const PathBody& body)>& tell) const;
  /// Functions with that name or alias. O(n).
  [[nodiscard]] std::vector<uint32_t> find(std::string_view name) const;
  /// Functions with a block that holds the address. O(n), and no body is read.
  [[nodiscard]] std::vector<uint32_t> at(uint64_t address) const;

  /// `bodies`: by function.
  static Bytes encode(const PathCode& code, const std::vector<PathBody>& bodies);
  /// From untrusted bytes, which must outlive it; T006.
  static Result<PathCode> decode(ByteSpan bytes);

 private:
  [[nodiscard]] Result<void> check(const PathBody& body) const;
  struct Group {
    uint32_t first = 0;  // function
    uint32_t coded = 0;
    uint64_t raw = 0;
    uint64_t at = 0;  // in bodies_
  };
  /// Code of a function without a gap in it.
  struct Extent {
    uint32_t function = 0;
    uint64_t address = 0;
    uint64_t end = 0;
  };
  static std::vector<Extent> extents_of(uint32_t function, const PathBody& body);
  std::vector<Group> groups_;
  std::vector<Extent> extents_;  // by function
  ByteSpan bodies_;
};

}  // namespace twinrun
