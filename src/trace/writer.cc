// SPDX-License-Identifier: MIT
#include "trace/writer.h"

#include "trace/coding.h"
#include "trace/frame.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace twinrun {
namespace {

constexpr uint64_t kReserveMax = 1ull << 30;
constexpr uint64_t kSpaceCheckEvery = 4 << 20;  // bytes between two looks at the free space
constexpr uint64_t kEndBytes = 4096;            // summary, trailer and the index's fixed part
constexpr uint64_t kSpareRoom = 1 << 20;        // left beside what nobody needs
constexpr int kPackLevel = 9;      // of zstd: packing happens once and is not in a hurry
constexpr int kSpareLevel = 3;     // beside a recording it is
constexpr size_t kEndedKept = 64;  // ended processes that can still turn out as parents

int create_new(const std::string& path) {
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/// A regular file that nobody is writing.
bool is_abandoned(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  struct stat info;
  const bool abandoned =
      fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return abandoned;
}

bool is_file_at(int fd, const std::string& path) {
  struct stat ours{};
  struct stat there{};
  return fstat(fd, &ours) == 0 && lstat(path.c_str(), &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino;
}

std::string reason(int error) { return std::strerror(error); }  // NOLINT(concurrency-mt-unsafe)

template <typename T>
ByteSpan bytes_of(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

// The index lists a segment in about this many bytes at most; zstd makes it less.
uint64_t index_cost(const FrameEntry& entry) {
  return 32 + (entry.type == TW_FRAME_SEGMENT
                   ? sizeof(TwSegmentHeader) + entry.threads.size() * sizeof(TwThreadSpan)
                   : 0);
}

void sync_directory(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

Result<std::unique_ptr<Writer>> Writer::create(WriterOptions options, const FileInfo& info) {
  std::unique_ptr<Writer> writer(new Writer(std::move(options)));
  TRY_VOID(writer->open(info));
  return writer;
}

Writer::~Writer() {
  if (fd_ >= 0) close(fd_);
}

Result<void> Writer::open(const FileInfo& info) {
  const std::string& final_path = options_.final_path;
  struct stat existing;
  if (lstat(final_path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    Error error{"T007", fmt::format("{} exists and is not a regular file", final_path), {}, {}};
    return std::unexpected(std::move(error).with_help("give another name for the recording"));
  }
  path_ = final_path + ".partial";
  fd_ = create_new(path_);
  bool taken = fd_ < 0 && errno == EEXIST;
  if (taken && options_.replace && is_abandoned(path_)) {
    unlink(path_.c_str());
    fd_ = create_new(path_);
    taken = fd_ < 0 && errno == EEXIST;
  }
  if (taken) {
    Error error{std::string(kErrorNameTaken), fmt::format("{} exists", path_), {}, {}};
    return std::unexpected(std::move(error).with_help(
        "another recording is being written there, or one was killed: rename or remove it"));
  }
  if (fd_ < 0) return fail("T007", "cannot create {}: {}", path_, reason(errno));
  // Whoever else wrote under this name has renamed its file before ours could be created.
  if (!options_.replace && lstat(final_path.c_str(), &existing) == 0) {
    abandon();
    return fail(kErrorNameTaken, "{} exists", final_path);
  }
  fchmod(fd_, 0600);
  // Others can tell a recording that is being written from one whose recorder died.
  flock(fd_, LOCK_EX | LOCK_NB);

  TwFileHeader header{};
  std::memcpy(header.magic, TW_FILE_MAGIC, sizeof header.magic);
  header.version = TW_VERSION;
  header.min_reader = (info.features & TW_FEATURE_LATE) != 0 ? TW_MIN_READER_LATE : TW_MIN_READER;
  header.features = info.features;
  header.start_time_ns = info.start_time_ns;
  uuid_ = info.uuid;
  if (uuid_ == std::array<uint8_t, 16>{} &&
      getrandom(uuid_.data(), uuid_.size(), 0) != static_cast<ssize_t>(uuid_.size())) {
    Error error{"T007", fmt::format("no random bytes: {}", reason(errno)), {}, {}};
    abandon();
    return std::unexpected(std::move(error));
  }
  std::copy(uuid_.begin(), uuid_.end(), header.uuid);
  header.checksum = file_header_checksum(header);
  if (!has_room(sizeof header) || !write_all(bytes_of(header))) {
    Error error{"T007", fmt::format("cannot write {}: {}", path_, stop_note_), {}, {}};
    abandon();
    return std::unexpected(std::move(error).with_help("free some space or give another place"));
  }
  size_ = sizeof header;
  return {};
}

void Writer::abandon() {
  if (fd_ < 0) return;
  close(fd_);
  fd_ = -1;
  unlink(path_.c_str());
}

Result<void> Writer::recording(const RecordingInfo& info) {
  append({.type = TW_FRAME_RECORDING}, encode_recording(info));
  return {};
}

Result<void> Writer::begin_process(const ProcessInfo& info) {
  if (info.number == 0 || info.number > kProcessMax || processes_.contains(info.number))
    return fail("T007", "process number {} cannot be used", info.number);
  Process process;
  if (info.origin == TW_ORIGIN_FORK) {
    const auto parent = processes_.find(info.parent);
    if (parent == processes_.end())
      return fail("T007", "process {} was forked by process {}, which is unknown", info.number,
                  info.parent);
    process.table.inherit(parent->second.table, info.inherited_blocks);
    process.jumps.inherit(parent->second.jumps, info.inherited_blocks);
  }
  processes_.emplace(info.number, std::move(process));
  append({.type = TW_FRAME_PROCESS, .process = info.number}, encode_process(info));
  return {};
}

Result<void> Writer::segment(uint32_t number, const TwSlot& slot,
                             const std::array<ByteSpan, TW_STREAM_COUNT>& streams) {
  const auto it = processes_.find(number);
  if (it == processes_.end() || it->second.ended)
    return fail("T007", "a segment of process {}, which is not recorded", number);
  Process& process = it->second;
  for (const ByteSpan stream : streams)
    if (stream.size() > kStreamMax) return fail("T007", "a segment is too large");
  const ByteSpan blocks = streams[TW_STREAM_BLOCKS];
  if (blocks.size() % 4 != 0 || blocks.size() / 4 > TW_SEGMENT_BLOCKS_MAX)
    return fail("T007", "a segment has {} bytes of block ids", blocks.size());
  if (stopped()) return {};

  const auto in_process = [number](Error error) {
    return std::unexpected(std::move(error).in(fmt::format("in a segment of process {}", number)));
  };
  if (auto added = process.table.add_definitions(streams[TW_STREAM_DEFS]); !added)
    return in_process(std::move(added).error());
  auto counted =
      process.counter.count(process.table, blocks, streams[TW_STREAM_EVENTS], slot.thread_at_start);
  if (!counted) return in_process(std::move(counted).error());
  // What counting has accepted.
  TRY(const SegmentRuns runs,
      segment_runs(streams[TW_STREAM_EVENTS], static_cast<uint32_t>(blocks.size() / 4),
                   slot.thread_at_start));
  process.jumps.add_definitions(streams[TW_STREAM_DEFS]);
  ByteWriter defs;
  defs.raw(streams[TW_STREAM_DEFS]);
  process.jumps.collect(blocks, runs, process.blocks, defs);
  std::array<ByteSpan, TW_STREAM_COUNT> streams_out = streams;
  streams_out[TW_STREAM_DEFS] = defs.bytes();

  FrameEntry entry{.type = TW_FRAME_SEGMENT, .process = number};
  TwSegmentHeader& header = entry.segment;
  header.flags = slot.flags;
  header.chunk = slot.chunk;
  header.first_block = process.blocks;
  header.first_instruction = process.instructions;
  header.block_count = static_cast<uint32_t>(blocks.size() / 4);
  header.thread_count = static_cast<uint32_t>(counted->threads.size());
  header.instruction_count = counted->instructions;
  header.thread_at_start = slot.thread_at_start;
  entry.threads = std::move(counted->threads);

  const size_t fixed = sizeof header + entry.threads.size() * sizeof(TwThreadSpan);
  scratch_.resize(fixed);
  uint64_t raw = 0;
  for (int i = 0; i < TW_STREAM_COUNT; ++i) {
    const size_t before = scratch_.size();
    header.stream[i].coding = encode_stream(static_cast<TwStream>(i), streams_out[i], scratch_);
    header.stream[i].raw_size = static_cast<uint32_t>(streams_out[i].size());
    header.stream[i].coded_size = static_cast<uint32_t>(scratch_.size() - before);
    raw += streams_out[i].size();
  }
  std::memcpy(scratch_.data(), &header, sizeof header);
  if (!entry.threads.empty())
    std::memcpy(scratch_.data() + sizeof header, entry.threads.data(), fixed - sizeof header);

  const uint64_t instructions = header.instruction_count;
  const uint64_t block_count = header.block_count;
  append(std::move(entry), scratch_);
  if (stopped()) return {};
  process.blocks += block_count;
  process.instructions += instructions;
  blocks_ += block_count;
  instructions_ += instructions;
  raw_bytes_ += raw;
  return {};
}

Result<void> Writer::end_process(uint32_t number, const ProcessEnd& end) {
  const auto it = processes_.find(number);
  if (it == processes_.end() || it->second.ended)
    return fail("T007", "process {} ends without having begun", number);
  it->second.ended = true;
  ended_.push_back(number);
  forget_ended_processes();
  append({.type = TW_FRAME_PROCESS_END, .process = number}, encode_process_end(end));
  return {};
}

// A process may say hello after the one that forked it has ended, so the definitions of the last
// few ended processes are kept.
void Writer::forget_ended_processes() {
  if (ended_.size() <= kEndedKept) return;
  Process& oldest = processes_[ended_.front()];
  oldest.table = {};
  oldest.counter = {};
  ended_.erase(ended_.begin());
}

Result<void> Writer::warning(uint32_t process, std::string code, std::string text) {
  append({.type = TW_FRAME_WARNING, .process = process},
         encode_warning({process, std::move(code), std::move(text)}));
  return {};
}

Result<void> Writer::file(const PackedFile& packed, ByteSpan contents) {
  if (contents.size() > kPayloadMax) return fail("T007", "{} is too large to pack", packed.path);
  append({.type = TW_FRAME_FILE}, encode_file(packed, contents, kPackLevel));
  return {};
}

void Writer::spare_file(const PackedFile& packed, ByteSpan contents) {
  if (contents.size() > kPayloadMax || stopped() || fd_ < 0) return;
  const Bytes payload = encode_file(packed, contents, kSpareLevel);
  if (!no_room(sizeof(TwFrameHeader) + payload.size() + kSpareRoom))
    append({.type = TW_FRAME_FILE}, payload);
}

Result<void> Writer::copy(const FrameEntry& frame, ByteSpan payload) {
  FrameEntry entry = frame;
  if (frame.type == TW_FRAME_SEGMENT) {
    blocks_ += frame.segment.block_count;
    instructions_ += frame.segment.instruction_count;
    for (const auto& stream : frame.segment.stream) raw_bytes_ += stream.raw_size;
  }
  append(std::move(entry), payload);
  return {};
}

// ---- Bytes ----

void Writer::append(FrameEntry entry, ByteSpan payload) {
  if (stopped() || fd_ < 0) return;
  TwFrameHeader header{};
  header.magic = TW_FRAME_MAGIC;
  header.type = entry.type;
  header.process = entry.process;
  header.sequence = sequence_[{entry.type, entry.process}];
  header.size = payload.size();
  header.checksum = frame_checksum(header, payload);
  const uint64_t cost = index_cost(entry);
  if (!has_room(sizeof header + payload.size() + cost)) return;
  if (!write_all(bytes_of(header)) || !write_all(payload)) return;
  ++sequence_[{entry.type, entry.process}];
  entry.sequence = header.sequence;
  entry.offset = size_;
  entry.size = payload.size();
  frames_.push_back(std::move(entry));
  size_ += sizeof header + payload.size();
  index_bytes_ += cost;
}

bool Writer::write_all(ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t n = options_.write != nullptr ? options_.write(fd_, bytes.data(), bytes.size())
                                                : ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      stop(StopReason::kWriteError, n < 0 ? reason(errno) : "nothing could be written");
      return false;
    }
    bytes = bytes.subspan(static_cast<size_t>(n));
    unchecked_ += static_cast<uint64_t>(n);
  }
  return true;
}

bool Writer::has_room(uint64_t bytes) {
  std::optional<NoRoom> none = no_room(bytes);
  if (none) stop(none->reason, std::move(none->note));
  return !none;
}

// Asks before writing. A limit on the size of files is kept without ever touching it: touching it
// would raise SIGXFSZ, and ignoring that signal would be inherited by the recorded program.
std::optional<Writer::NoRoom> Writer::no_room(uint64_t bytes) {
  const uint64_t needed = size_ + bytes + index_bytes_ + kEndBytes;
  if (options_.max_size != 0 && needed > options_.max_size)
    return NoRoom{StopReason::kMaxSize,
                  fmt::format("the size limit of {} bytes is reached", options_.max_size)};
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      needed > limit.rlim_cur)
    return NoRoom{
        StopReason::kMaxSize,
        fmt::format("the limit on file sizes (ulimit -f, {} bytes) is reached", limit.rlim_cur)};
  if (options_.reserve == WriterOptions::kNoReserve) return std::nullopt;
  if (size_ != 0 && unchecked_ + bytes < kSpaceCheckEvery && frames_.size() > 4)
    return std::nullopt;
  unchecked_ = 0;
  struct statvfs fs;
  if (fstatvfs(fd_, &fs) != 0) return std::nullopt;
  const uint64_t total = fs.f_blocks * fs.f_frsize;
  const uint64_t available = fs.f_bavail * fs.f_frsize;
  const uint64_t reserve =
      options_.reserve != 0 ? options_.reserve : std::min(total / 100, kReserveMax);
  // Some file systems say zero of everything.
  if (total != 0 && available < reserve + bytes + index_bytes_ + kEndBytes)
    return NoRoom{StopReason::kReserve,
                  fmt::format("the file system has only {} bytes left", available)};
  return std::nullopt;
}

void Writer::stop(StopReason reason, std::string note) {
  if (!stopped()) {
    stop_ = reason;
    stop_note_ = std::move(note);
  }
  cut_back();
}

void Writer::cut_back() {
  if (fd_ < 0 || size_ == 0) return;
  if (ftruncate(fd_, static_cast<off_t>(size_)) != 0) return;  // a scan stops at the torn frame
  lseek(fd_, static_cast<off_t>(size_), SEEK_SET);
}

bool Writer::write_end(const RecordingEnd& end) {
  const auto frame = [&](uint32_t type, ByteSpan payload) {
    TwFrameHeader header{};
    header.magic = TW_FRAME_MAGIC;
    header.type = type;
    header.sequence = sequence_[{type, 0}]++;
    header.size = payload.size();
    header.checksum = frame_checksum(header, payload);
    if (!write_all(bytes_of(header)) || !write_all(payload)) return false;
    frames_.push_back(
        {.type = type, .sequence = header.sequence, .offset = size_, .size = payload.size()});
    size_ += sizeof header + payload.size();
    return true;
  };
  if (!frame(TW_FRAME_SUMMARY, encode_summary(end))) return false;
  const uint64_t index_at = size_;
  if (!frame(TW_FRAME_INDEX, encode_index(frames_))) return false;
  TwTrailer trailer{};
  trailer.index_offset = index_at;
  trailer.file_size = size_ + sizeof trailer;
  trailer.checksum = trailer_checksum(trailer);
  std::memcpy(trailer.magic, TW_TRAILER_MAGIC, sizeof trailer.magic);
  if (!write_all(bytes_of(trailer))) return false;
  size_ += sizeof trailer;
  return true;
}

Result<void> Writer::finish(RecordingEnd end) {
  const int fd = fd_;
  if (fd < 0) return fail("T007", "{} was abandoned", path_);
  end.instructions = instructions_;
  end.blocks = blocks_;
  end.raw_bytes = raw_bytes_;
  if (stopped()) {
    end.stop = stop_;
    if (end.note.empty()) end.note = stop_note_;
  }
  // Without an end the file is a prefix, which readers find by scanning; that is no failure.
  write_end(end);
  fsync(fd);
  // Who removes an unfinished recording makes room for another one of that name.
  const bool is_ours = is_file_at(fd, path_);
  close(fd);
  fd_ = -1;
  if (!is_ours)
    return fail("T007", "{} was removed or replaced by another program while it was written",
                path_);
  if (rename(path_.c_str(), options_.final_path.c_str()) != 0)
    return fail("T007", "cannot rename {} to {}: {}", path_, options_.final_path, reason(errno));
  path_ = options_.final_path;
  sync_directory(path_);
  return {};
}

}  // namespace twinrun
