// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/run.h"
#include "run/source_file.h"
#include "trace/maps.h"
#include "trace/writer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// One binary of a recording and what became of it.
struct PackedBinary {
  std::string path;
  Bytes build_id;
  uint64_t size = 0;       // 0: not packed
  std::string missing;     // why it was not packed
  std::string debug_path;  // separate debug file; empty: none was found
  uint64_t debug_size = 0;
};

/// One source file of it.
struct PackedSource {
  std::string path;  // as debug information has it
  uint64_t size = 0;
  std::string missing;    // why it was not packed; empty: it was
  bool is_newer = false;  // changed since the recording began: its lines may be others
};

struct PackResult {
  std::string path;
  uint64_t size_before = 0;
  uint64_t size = 0;
  std::vector<PackedBinary> binaries;
  std::vector<PackedSource> sources;

  /// All binaries are in it. Sources are not counted: a program that is linked statically has code
  /// of its C library, whose sources nobody has.
  [[nodiscard]] bool has_binaries() const;
};

/// A source file to pack, and where it is now.
struct SourceFile {
  std::string name;  // as debug information has it
  FoundSource found;
  bool is_spare = false;  // not missed when it is not there
};

/// Writes a copy of the recording to `output` (which may be its own path) with the executable files
/// that it mapped, their separate debug files and the sources inside. Binaries that are gone or
/// have another build id than the recorded one and sources that are gone are left out, and the
/// result says so; what is packed already is kept.
Result<PackResult> pack(const Run& run, const std::string& output,
                        const std::vector<SourceFile>& sources);

/// Puts the executable files that do not belong to the system, and are still what was executed,
/// into a recording that is being written, as far as there is room: they are rebuilt between two
/// runs, and with the old one its names are gone.
void keep_own_binaries(const std::vector<MappedFile>& files, Writer& writer);

}  // namespace twinrun
