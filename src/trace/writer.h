// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "trace/count.h"
#include "trace/jump_log.h"
#include "trace/model.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace twinrun {

/// The name belongs to a recording that must stay.
inline constexpr std::string_view kErrorNameTaken = "T010";

struct WriterOptions {
  std::string final_path;  // written as final_path + ".partial", renamed by finish()
  bool replace = true;     // a recording, or what a killed recorder left, under that name
  uint64_t max_size = 0;   // 0: none
  uint64_t reserve = 0;    // bytes to leave free; 0: a hundredth of the file system, at most 1 GiB
  /// For tests: takes the place of write(2).
  ssize_t (*write)(int, const void*, size_t) = nullptr;

  static constexpr uint64_t kNoReserve = ~0ull;
};

/// What the file header says beyond its constants.
struct FileInfo {
  uint64_t features = 0;
  uint64_t start_time_ns = 0;
  std::array<uint8_t, 16> uuid{};  // all zero: a new one is made
};

/// Appends a recording to a file, frame by frame; each call leaves a readable prefix on disk.
///
/// When the disk is full, a limit is reached or a write fails, the writer cuts the file back to its
/// last whole frame and stops: stopped() turns true, later frames are dropped without an error, and
/// finish() still tries to write the summary and the index. Not thread-safe.
class Writer {
 public:
  static Result<std::unique_ptr<Writer>> create(WriterOptions options, const FileInfo& info);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Result<void> recording(const RecordingInfo& info);
  /// A forked process takes over its parent's definitions here: all segments of the parent up to
  /// the fork must have been written.
  Result<void> begin_process(const ProcessInfo& info);
  /// Compresses and appends one segment. The spans are read, not kept.
  Result<void> segment(uint32_t process, const TwSlot& slot,
                       const std::array<ByteSpan, TW_STREAM_COUNT>& streams);
  Result<void> end_process(uint32_t process, const ProcessEnd& end);
  Result<void> warning(uint32_t process, std::string code, std::string text);
  Result<void> file(const PackedFile& file, ByteSpan contents);
  /// The same for what a recording can do without: left out where there is no room for it.
  void spare_file(const PackedFile& file, ByteSpan contents);
  /// Appends the payload of a frame of another recording unchanged (for pack).
  Result<void> copy(const FrameEntry& frame, ByteSpan payload);
  /// Summary, index, trailer, fsync, rename. The totals in `end` are filled in.
  Result<void> finish(RecordingEnd end);
  /// Closes and removes the unfinished file.
  void abandon();

  [[nodiscard]] bool stopped() const { return stop_ != StopReason::kNone; }
  /// "no space left on device", for the user.
  [[nodiscard]] const std::string& stop_note() const { return stop_note_; }
  [[nodiscard]] uint64_t instructions() const { return instructions_; }
  [[nodiscard]] uint64_t blocks() const { return blocks_; }
  [[nodiscard]] uint64_t raw_bytes() const { return raw_bytes_; }
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::array<uint8_t, 16>& uuid() const { return uuid_; }

 private:
  struct Process {
    CountTable table;
    InstructionCounter counter;
    JumpLog jumps;
    uint64_t blocks = 0;
    uint64_t instructions = 0;
    bool ended = false;
  };

  explicit Writer(WriterOptions options) : options_(std::move(options)) {}
  Result<void> open(const FileInfo& info);
  void append(FrameEntry entry, ByteSpan payload);
  bool write_all(ByteSpan bytes);
  bool has_room(uint64_t bytes);
  /// What keeps so many bytes from being written, if anything does.
  struct NoRoom {
    StopReason reason = StopReason::kNone;
    std::string note;
  };
  std::optional<NoRoom> no_room(uint64_t bytes);
  void stop(StopReason reason, std::string note);
  void cut_back();
  bool write_end(const RecordingEnd& end);
  void forget_ended_processes();

  WriterOptions options_;
  std::string path_;  // with .partial
  int fd_ = -1;
  std::array<uint8_t, 16> uuid_{};
  uint64_t size_ = 0;         // up to the last whole frame
  uint64_t index_bytes_ = 0;  // upper estimate of what finish() will write
  uint64_t unchecked_ = 0;    // bytes written since free space was last looked at
  std::vector<FrameEntry> frames_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> sequence_;  // next, by type and process
  std::map<uint32_t, Process> processes_;
  std::vector<uint32_t> ended_;  // processes whose definitions are still kept, oldest first
  uint64_t instructions_ = 0;
  uint64_t blocks_ = 0;
  uint64_t raw_bytes_ = 0;
  StopReason stop_ = StopReason::kNone;
  std::string stop_note_;
  Bytes scratch_;
};

}  // namespace twinrun
