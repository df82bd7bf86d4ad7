// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "format/trace_format.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace twinrun {

/// Bounds that writer and reader agree on, so that no length field of a file can ask for more.
inline constexpr uint64_t kStreamMax = 1ull << 28;        // raw bytes of one stream of a segment
inline constexpr uint64_t kPayloadMax = 1ull << 31;       // bytes of one frame's payload
inline constexpr uint32_t kBlockValueMax = 1u << 28;      // block ids with their variants
inline constexpr uint32_t kBlockValueGap = 1u << 16;      // unused numbers between two definitions
inline constexpr uint32_t kThreadMax = 1u << 22;          // thread numbers of a process
inline constexpr uint32_t kProcessMax = 1u << 22;         // process numbers of a recording
inline constexpr uint32_t kBlockInstructionsMax = 65535;  // instructions of one block

/// What was recorded, and by what.
struct RecordingInfo {
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string cwd;
  std::string twinrun_version;
  std::string valgrind_version;
  std::string host;          // sysname, release, version and machine of uname(2), by blanks
  std::string cpu_features;  // of the recording machine, by blanks
  uint64_t flags = 0;        // RecordingFlags
  std::vector<std::pair<std::string, std::string>> facts;  // anything else, by name

  /// Null when it is not told.
  [[nodiscard]] const std::string* fact(std::string_view name) const {
    for (const auto& [key, value] : facts)
      if (key == name) return &value;
    return nullptr;
  }

  bool operator==(const RecordingInfo&) const = default;
};

/// The fact that names the function at which late processes begin.
inline constexpr std::string_view kFactFrom = "from";

enum RecordingFlags : uint64_t {
  kRecordingPadded = 1u << 0,           // the stack starts at a fixed address
  kRecordingControlFlowOnly = 1u << 1,  // no values were recorded
};

/// A name for a range of the register file.
struct RegisterName {
  std::string name;
  uint32_t offset = 0;
  uint32_t size = 0;

  bool operator==(const RegisterName&) const = default;
};

/// How a process began.
struct ProcessInfo {
  uint32_t number = 0;
  uint32_t parent = 0;  // number of the parent, 0: not recorded
  uint32_t origin = 0;  // TwOrigin
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint32_t inherited_blocks = 0;   // FORK: block ids below it are the parent's
  uint32_t inherited_helpers = 0;  // FORK: helper numbers below it are the parent's
  uint64_t parent_block = 0;       // FORK: blocks that the parent had executed
  uint32_t parent_thread = 0;      // FORK: the parent's thread that forked
  uint32_t state_size = 0;         // bytes of a register file
  uint64_t time_ns = 0;            // CLOCK_REALTIME
  std::vector<RegisterName> registers;

  bool operator==(const ProcessInfo&) const = default;
};

enum class EndKind : uint32_t {
  kExited = 1,  // status: exit status
  kKilled = 2,  // status: signal
  kExec = 3,    // became another program, which is a process of its own
  kCut = 4,     // the recording of it stopped early; `note` says why
};

struct ProcessEnd {
  EndKind how = EndKind::kCut;
  uint32_t status = 0;
  uint64_t time_ns = 0;
  uint64_t lost_bytes = 0;  // known to have been recorded but not written
  std::string note;

  bool operator==(const ProcessEnd&) const = default;
};

enum class StopReason : uint32_t {
  kNone = 0,         // the recording is whole
  kInterrupted = 1,  // the user stopped it
  kMaxSize = 2,
  kReserve = 3,  // the file system was about to fill up
  kWriteError = 4,
  kLost = 5,     // packed from a recording whose end was lost
  kTimeout = 6,  // the program did not end in time and was killed
};

struct RecordingEnd {
  EndKind how = EndKind::kCut;  // of the root process
  uint32_t status = 0;
  uint64_t time_ns = 0;
  StopReason stop = StopReason::kNone;
  std::string note;
  // Filled by the writer.
  uint64_t instructions = 0;
  uint64_t blocks = 0;
  uint64_t raw_bytes = 0;  // of all streams before coding

  bool operator==(const RecordingEnd&) const = default;
};

struct TraceWarning {
  uint32_t process = 0;
  std::string code;
  std::string text;

  /// It changes nothing for the program: `record` does not print it.
  [[nodiscard]] bool is_note() const {
    const auto codes = {"W003", "W004", "W008", "W028", "W032"};
    return std::ranges::find(codes, code) != codes.end();
  }

  bool operator==(const TraceWarning&) const = default;
};

enum class FileKind : uint32_t { kBinary = 1, kDebug = 2, kSource = 3 };

/// A packed file, without its contents.
struct PackedFile {
  FileKind kind = FileKind::kBinary;
  /// As it was mapped; of a debug file that of its binary, of a source as debug information has it.
  std::string path;
  Bytes build_id;     // empty for a source
  uint64_t size = 0;  // of the contents

  bool operator==(const PackedFile&) const = default;
};

/// One frame of a file, as a scan finds it and as the index lists it.
struct FrameEntry {
  uint32_t type = 0;
  uint32_t process = 0;
  uint32_t sequence = 0;
  uint64_t offset = 0;  // of the frame header
  uint64_t size = 0;    // of the payload
  // Of a SEGMENT frame: its header and thread spans.
  TwSegmentHeader segment{};
  std::vector<TwThreadSpan> threads{};
};

}  // namespace twinrun
