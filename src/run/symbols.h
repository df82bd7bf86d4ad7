// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "program/debug_files.h"
#include "program/debug_info.h"
#include "program/elf_symbols.h"
#include "program/module_code.h"
#include "trace/maps.h"
#include "trace/reader.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace twinrun {

/// The binaries of a recording: from its packed files, else from the disk if they still are what
/// was recorded.
class Binaries {
 public:
  explicit Binaries(const Reader& reader,
                    DebugDirectories debug_directories = system_debug_directories())
      : reader_(reader), debug_directories_(std::move(debug_directories)) {}

  struct Binary {
    std::shared_ptr<const ElfSymbols> symbols;  // null: not found, or changed since
    bool packed = false;
    std::string debug_file;  // a separate one that was used
    std::string note;        // why there are no symbols
  };
  /// Where separate debug files are looked for.
  [[nodiscard]] const DebugDirectories& debug_directories() const { return debug_directories_; }
  /// Loads on first use.
  const Binary& get(const MappedFile& file);
  /// Its debug information; nullptr when there is none, or the file is not what was recorded.
  DebugInfo* debug_info(const MappedFile& file);
  /// From now on the debug information of a build is opened once for both: what the other has
  /// opened is taken, and the other way round. By one thread at a time, as DebugInfo is.
  void share_debug_info(const Binaries& other) { shared_ = other.shared_; }
  /// Bytes of the file as a program finds them mapped; `zero_behind`: those behind the end of a
  /// segment are zero, as in writable ones. False when the file is not what was recorded, or
  /// nothing tells whether it is.
  bool read(const MappedFile& file, uint64_t offset, bool zero_behind, std::span<uint8_t> out);
  /// What was missing of the files that were asked for so far, one line each: a binary that is gone
  /// or has changed, debug information of the program, or a part of it.
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// The code of the file, loaded once. P010 when it is not found, or has changed since.
  Result<const ModuleCode*> module(const MappedFile& file);

 private:
  Binary load(const MappedFile& file) const;
  Result<std::unique_ptr<ModuleCode>> load_module(const MappedFile& file);
  /// Null when there is none.
  std::shared_ptr<DebugInfo> open_debug_info(const MappedFile& file) const;
  /// Null when the recording does not hold it.
  const Reader::PackedEntry* packed(const MappedFile& file, FileKind kind) const;

  const Reader& reader_;
  DebugDirectories debug_directories_;
  std::map<std::pair<std::string, Bytes>, Binary> binaries_;
  std::map<std::pair<std::string, Bytes>, std::shared_ptr<DebugInfo>> debug_infos_;  // null: none
  /// Those of them that another recording can use, too.
  using DebugInfos = std::map<std::pair<std::string, Bytes>, std::shared_ptr<DebugInfo>>;
  std::shared_ptr<DebugInfos> shared_ = std::make_shared<DebugInfos>();
  std::map<std::pair<std::string, Bytes>, Bytes> contents_;  // empty: cannot be read
  std::map<std::pair<std::string, Bytes>, Result<std::unique_ptr<ModuleCode>>> modules_;
  ModuleCache cache_ = ModuleCache::of_user();
};

/// What symbol tables and debug information say of an address: views into them. What outlives them,
/// as in a report, is a SourcePlace.
struct ResolvedAddress {
  std::string_view module;     // path of the mapped file; empty: none
  uint64_t module_offset = 0;  // address as in the ELF file, else offset in the mapping
  std::string_view function;   // empty: none
  ModuleAddr function_address;
  uint64_t offset = 0;    // in the function
  std::string_view file;  // of the source; empty: none, or not asked for
  uint32_t line = 0;
  bool is_system = false;  // the line is one of a header of the system

  /// Base name of the module.
  [[nodiscard]] std::string_view module_name() const;
};

/// Whether a binary belongs to the system, which can install it again.
bool is_system_file(std::string_view path);
/// Whether a file of the source belongs to the system, not to who wrote the program.
bool is_system_source(std::string_view file);

/// Resolves the addresses of one process.
class Symbolizer {
 public:
  Symbolizer(Binaries& binaries, const MapHistory& maps) : binaries_(binaries), maps_(maps) {}

  /// What was at the address when `blocks` blocks of the process had begun. The views live as long
  /// as the Binaries and the MapHistory.
  ResolvedAddress resolve(Addr address, uint64_t blocks);
  /// With the source line of the innermost frame, from debug information.
  ResolvedAddress resolve_line(Addr address, uint64_t blocks);
  /// With the line of the innermost frame that is no code of the system's headers, as templates of
  /// the standard library are; when there is none, of the innermost frame.
  ResolvedAddress resolve_own_line(Addr address, uint64_t blocks);

 private:
  enum class Frames : uint8_t { kInnermost, kOwn };
  ResolvedAddress resolve_frame(Addr address, uint64_t blocks, Frames which);

  Binaries& binaries_;
  const MapHistory& maps_;
  struct Line {
    std::string file;
    uint32_t line = 0;
    bool is_system = false;
  };
  std::map<std::tuple<std::string_view, uint64_t, Frames>, Line> lines_;
};

}  // namespace twinrun
