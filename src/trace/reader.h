// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "trace/block.h"
#include "trace/kept_blocks.h"
#include "trace/model.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// Which streams to decode: `stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS)`.
using StreamMask = uint32_t;
constexpr StreamMask stream_bit(TwStream stream) { return 1u << stream; }
inline constexpr StreamMask kAllStreams = (1u << TW_STREAM_COUNT) - 1;

/// A decoded segment. Streams that were not asked for are empty.
struct SegmentData {
  std::array<Bytes, TW_STREAM_COUNT> streams;  // but for that of the blocks
  std::shared_ptr<const Bytes> shared_blocks;

  [[nodiscard]] ByteSpan blocks() const {
    return shared_blocks != nullptr ? ByteSpan(*shared_blocks) : ByteSpan();
  }
  [[nodiscard]] ByteSpan events() const { return streams[TW_STREAM_EVENTS]; }
};

/// The block streams that were decoded last, for those who read recordings that go the same way,
/// side by side: what was coded as the same bytes is decoded once.
class DecodedBlocks {
 public:
  /// Null when it has gone, or has never been here.
  [[nodiscard]] std::shared_ptr<const Bytes> find(uint8_t coding, ByteSpan coded,
                                                  uint64_t raw_size) const;
  void keep(uint8_t coding, ByteSpan coded, std::shared_ptr<const Bytes> raw);

 private:
  struct Kept {
    uint8_t coding = 0;
    Bytes coded;
    std::shared_ptr<const Bytes> raw;
  };
  std::array<Kept, 4> kept_;
  size_t next_ = 0;  // to be replaced
};

/// A process of a recording with the segments that it has.
struct Process {
  ProcessInfo info;
  std::optional<ProcessEnd> end;   // nothing when its recording was cut
  std::vector<uint32_t> segments;  // indices into Reader::frames()
  uint64_t blocks = 0;
  uint64_t instructions = 0;
  std::map<uint32_t, uint64_t> thread_steps;  // instructions of each thread
};

struct ReaderOptions {
  /// For fuzzing: wrong checksums pass, so that mutated bytes get deep into the parsers.
  bool ignore_checksums = false;
  /// Finds the frames by scanning even when there is an index.
  bool ignore_index = false;
};

/// Opens a recording, complete or cut, and hands out its parts. Takes untrusted bytes: every error
/// is a Result, every size is checked before memory is asked for. Opening reads the index (or, for
/// a cut file, all frames) and the small frames; segments are read when they are loaded. All const
/// functions may be called from several threads.
class Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::string& path, ReaderOptions options = {});
  /// The bytes must outlive the reader.
  static Result<std::unique_ptr<Reader>> open_memory(ByteSpan bytes, ReaderOptions options = {});
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] const TwFileHeader& header() const { return header_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] uint64_t file_size() const { return file_size_; }
  /// Nothing when the recording was cut before its first frame was whole.
  [[nodiscard]] const std::optional<RecordingInfo>& recording() const { return recording_; }
  /// Nothing in a cut file.
  [[nodiscard]] const std::optional<RecordingEnd>& summary() const { return summary_; }
  [[nodiscard]] bool has_values() const { return (header_.features & TW_FEATURE_VALUES) != 0; }

  /// The file lacks its end: the recorder was killed, or the file was cut or damaged.
  [[nodiscard]] bool is_prefix() const { return is_prefix_; }
  /// Why, and how many bytes behind the last whole frame cannot be used.
  [[nodiscard]] const std::string& prefix_note() const { return prefix_note_; }
  [[nodiscard]] uint64_t lost_bytes() const { return lost_bytes_; }
  /// The recorder stopped before the programs ended (a limit, a full disk, the user), or is_prefix.
  [[nodiscard]] bool is_cut() const {
    return is_prefix_ || (summary_ && summary_->stop != StopReason::kNone);
  }

  [[nodiscard]] const std::vector<FrameEntry>& frames() const { return frames_; }
  /// By number, ascending.
  [[nodiscard]] const std::map<uint32_t, Process>& processes() const { return processes_; }
  [[nodiscard]] const Process* process(uint32_t number) const;
  [[nodiscard]] const std::vector<TraceWarning>& warnings() const { return warnings_; }
  [[nodiscard]] uint64_t instructions() const { return instructions_; }
  [[nodiscard]] uint64_t blocks() const { return blocks_; }

  struct PackedEntry {
    PackedFile file;
    uint32_t frame = 0;  // index into frames()
  };
  [[nodiscard]] const std::vector<PackedEntry>& packed() const { return packed_; }
  Result<Bytes> packed_contents(const PackedEntry& entry) const;

  /// From here on keeps so many bytes of decoded block streams: for who goes over them again and
  /// again. Not while others load.
  void keep_blocks(uint64_t most_bytes) { kept_blocks_.keep_most(most_bytes); }
  /// Reads, checks and decodes the segment at frames()[frame]. `decoded`, if given, is asked for
  /// its blocks, and told.
  Result<SegmentData> load(uint32_t frame, StreamMask mask = kAllStreams,
                           DecodedBlocks* decoded = nullptr) const;
  /// The payload of a frame, its checksum checked.
  Result<Bytes> payload(uint32_t frame) const;

  /// All definitions of a process, with those inherited from the processes that forked it.
  Result<Dictionary> dictionary(uint32_t process) const;

  /// The frames that a scan from the file's start finds, up to the first bad one.
  struct Scan {
    std::vector<FrameEntry> frames;
    uint64_t end = 0;        // behind the last whole frame
    bool has_index = false;  // the last frame is an index
    std::string note;        // why it ended, empty when at the end or at the trailer
  };
  Result<Scan> scan() const;
  /// The index as it was written, if the file has a whole one.
  Result<std::vector<FrameEntry>> written_index() const;

 private:
  explicit Reader(ReaderOptions options) : options_(options) {}
  Result<void> initialize();
  Result<void> read_header();
  Result<std::optional<TwTrailer>> read_trailer() const;
  Result<Bytes> read_at(uint64_t offset, uint64_t size) const;
  Result<Bytes> read_frame(const FrameEntry& entry) const;
  Result<void> find_frames();
  Result<void> read_small_frames();
  Result<void> add_segment(uint32_t frame);
  Result<void> check_offsets(const std::vector<FrameEntry>& frames, uint64_t end) const;
  struct CodedBlocks {
    uint32_t frame = 0;
    uint8_t coding = 0;
    ByteSpan coded;
    uint64_t raw_size = 0;
  };
  Result<std::shared_ptr<const Bytes>> blocks_of(const CodedBlocks& blocks,
                                                 DecodedBlocks* decoded) const;

  ReaderOptions options_;
  std::string path_;
  int fd_ = -1;
  ByteSpan memory_;
  uint64_t file_size_ = 0;
  TwFileHeader header_{};
  std::vector<FrameEntry> frames_;
  std::optional<RecordingInfo> recording_;
  std::optional<RecordingEnd> summary_;
  std::map<uint32_t, Process> processes_;
  std::vector<TraceWarning> warnings_;
  std::vector<PackedEntry> packed_;
  mutable KeptBlocks kept_blocks_;
  bool is_prefix_ = false;
  std::string prefix_note_;
  uint64_t lost_bytes_ = 0;
  uint64_t instructions_ = 0;
  uint64_t blocks_ = 0;
};

}  // namespace twinrun
