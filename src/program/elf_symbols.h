// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A function of a binary. Addresses are those of its ELF file (before relocation).
struct Function {
  uint64_t address = 0;
  uint64_t size = 0;                 // 0 in the file: up to the next one, or the segment's end
  std::string name;                  // as in the symbol table; "name@plt" for stubs
  std::vector<std::string> aliases;  // its other names, sorted
};

/// What an ELF file says about its functions. Made from untrusted bytes through libelf.
class ElfSymbols {
 public:
  /// From a file's bytes.
  static Result<ElfSymbols> from_memory(ByteSpan bytes);
  static Result<ElfSymbols> from_file(const std::string& path);

  /// Adds the functions of a separate debug file of the same binary.
  void add_debug(const ElfSymbols& debug);

  /// The function that holds the address; nullptr when none does. O(log n).
  [[nodiscard]] const Function* find(uint64_t address) const;
  [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }

  /// The address of the byte at a file offset, by the loadable segments.
  [[nodiscard]] std::optional<uint64_t> address_of_offset(uint64_t offset) const;
  /// The other way round.
  [[nodiscard]] std::optional<uint64_t> offset_of_address(uint64_t address) const;

  /// The addresses from the first loadable segment to the end of the last one, with what is behind
  /// the file's bytes (.bss); nothing without segments.
  struct Extent {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  [[nodiscard]] std::optional<Extent> extent() const;

  [[nodiscard]] const Bytes& build_id() const { return build_id_; }
  /// Of .gnu_debuglink; empty without one.
  [[nodiscard]] const std::string& debug_link() const { return debug_link_; }
  /// Has a full symbol table (not only the dynamic one).
  [[nodiscard]] bool has_symtab() const { return has_symtab_; }

 private:
  struct Segment {
    uint64_t offset = 0;
    uint64_t address = 0;
    uint64_t file_size = 0;
    uint64_t memory_size = 0;
  };
  struct Loader;
  void finish();
  /// The end of the segment that holds the address; behind the address when none does.
  [[nodiscard]] uint64_t segment_end(uint64_t address) const;

  std::vector<Function> functions_;  // by address, without overlaps
  std::vector<Segment> segments_;
  Bytes build_id_;
  std::string debug_link_;
  bool has_symtab_ = false;
};

/// The name of a separate debug file that a binary tells; empty for none, or when it cannot be
/// read.
std::string read_debug_link(const std::string& path);

/// "a1b2c3...".
std::string hex(ByteSpan bytes);

}  // namespace twinrun
