// SPDX-License-Identifier: MIT
#include "trace/reader.h"

#include "base/check.h"
#include "trace/coding.h"
#include "trace/frame.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

namespace twinrun {
namespace {

// Cut or damaged segments must not add up to numbers that wrap around.
constexpr uint64_t kCountMax = 1ull << 62;

std::string reason(int error) { return std::strerror(error); }  // NOLINT(concurrency-mt-unsafe)

bool same_layout(const FrameEntry& entry, const SegmentLayout& layout) {
  return std::memcmp(&entry.segment, &layout.header, sizeof layout.header) == 0 &&
         entry.threads.size() == layout.threads.size() &&
         (entry.threads.empty() || std::memcmp(entry.threads.data(), layout.threads.data(),
                                               layout.threads.size() * sizeof(TwThreadSpan)) == 0);
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path, ReaderOptions options) {
  std::unique_ptr<Reader> reader(new Reader(options));
  reader->path_ = path;
  reader->fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (reader->fd_ < 0) return fail("T001", "cannot open {}: {}", path, reason(errno));
  struct stat status;
  if (fstat(reader->fd_, &status) != 0)
    return fail("T001", "cannot read {}: {}", path, reason(errno));
  if (!S_ISREG(status.st_mode)) return fail("T002", "{} is not a regular file", path);
  reader->file_size_ = static_cast<uint64_t>(status.st_size);
  TRY_VOID(reader->initialize());
  return reader;
}

Result<std::unique_ptr<Reader>> Reader::open_memory(ByteSpan bytes, ReaderOptions options) {
  std::unique_ptr<Reader> reader(new Reader(options));
  reader->path_ = "memory";
  reader->memory_ = bytes;
  reader->file_size_ = bytes.size();
  TRY_VOID(reader->initialize());
  return reader;
}

Reader::~Reader() {
  if (fd_ >= 0) close(fd_);
}

Result<void> Reader::initialize() {
  TRY_VOID(read_header());
  TRY_VOID(find_frames());
  return read_small_frames();
}

Result<Bytes> Reader::read_at(uint64_t offset, uint64_t size) const {
  if (offset > file_size_ || size > file_size_ - offset)
    return fail("T005", "{} ends at byte {}, needed are {} bytes at {}", path_, file_size_, size,
                offset);
  if (fd_ < 0) {
    const ByteSpan part = memory_.subspan(offset, size);
    return Bytes(part.begin(), part.end());
  }
  Bytes out(size);
  for (uint64_t done = 0; done < size;) {
    const ssize_t n = pread(fd_, out.data() + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail("T001", "cannot read {} at byte {}: {}", path_, offset, reason(errno));
    if (n == 0) return fail("T005", "{} was cut while it was read", path_);
    done += static_cast<uint64_t>(n);
  }
  return out;
}

Result<void> Reader::read_header() {
  const auto foreign = [this] {
    Error error{"T002", fmt::format("{} is not a twinrun recording", path_), {}, {}};
    return std::unexpected(
        std::move(error).with_help("'twinrun ls' lists the recordings there are"));
  };
  if (file_size_ < sizeof header_) {
    TRY(const Bytes start, read_at(0, std::min<uint64_t>(file_size_, sizeof header_.magic)));
    if (start.empty() || std::memcmp(start.data(), TW_FILE_MAGIC, start.size()) != 0)
      return foreign();
    return fail("T003", "{} is cut inside its header: nothing was recorded in it", path_);
  }
  TRY(const Bytes bytes, read_at(0, sizeof header_));
  std::memcpy(&header_, bytes.data(), sizeof header_);
  if (std::memcmp(header_.magic, TW_FILE_MAGIC, sizeof header_.magic) != 0) return foreign();
  if (header_.checksum != file_header_checksum(header_) && !options_.ignore_checksums)
    return fail("T003", "the header of {} is damaged: its checksum is wrong", path_);
  if (header_.min_reader > TW_VERSION) {
    Error error{"T004",
                fmt::format("{} was written by a newer twinrun: its format {} needs a reader of "
                            "version {}, this one has version {}",
                            path_, header_.version, header_.min_reader, uint32_t{TW_VERSION}),
                {},
                {}};
    return std::unexpected(
        std::move(error).with_help("update twinrun, or open it with the one that recorded it"));
  }
  return {};
}

Result<std::optional<TwTrailer>> Reader::read_trailer() const {
  TwTrailer trailer;
  if (file_size_ < sizeof header_ + sizeof trailer) return std::nullopt;
  TRY(const Bytes bytes, read_at(file_size_ - sizeof trailer, sizeof trailer));
  std::memcpy(&trailer, bytes.data(), sizeof trailer);
  if (std::memcmp(trailer.magic, TW_TRAILER_MAGIC, sizeof trailer.magic) != 0) return std::nullopt;
  if (trailer.checksum != trailer_checksum(trailer) && !options_.ignore_checksums)
    return std::nullopt;
  if (trailer.file_size != file_size_) return std::nullopt;
  return trailer;
}

Result<Bytes> Reader::read_frame(const FrameEntry& entry) const {
  const auto damaged = [&](const char* what) {
    return fail("T005", "the {} frame at byte {} of {} is damaged: {}", frame_type_name(entry.type),
                entry.offset, path_, what);
  };
  TwFrameHeader header;
  TRY(const Bytes head, read_at(entry.offset, sizeof header));
  std::memcpy(&header, head.data(), sizeof header);
  if (header.magic != TW_FRAME_MAGIC || header.type != entry.type ||
      header.process != entry.process || header.sequence != entry.sequence ||
      header.size != entry.size)
    return damaged("its header is not what the index says");
  TRY(Bytes payload, read_at(entry.offset + sizeof header, entry.size));
  if (header.checksum != frame_checksum(header, payload) && !options_.ignore_checksums)
    return damaged("its checksum is wrong");
  return payload;
}

Result<Bytes> Reader::payload(uint32_t frame) const { return read_frame(frames_[frame]); }

Result<Reader::Scan> Reader::scan() const {
  Scan out;
  uint64_t at = sizeof header_;
  const auto ended = [&](std::string note) {
    out.end = at;
    out.note = std::move(note);
    return out;
  };
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> sequences;
  while (at < file_size_) {
    TwFrameHeader header;
    if (file_size_ - at < sizeof header) return ended("a frame is cut short");
    TRY(const Bytes head, read_at(at, sizeof header));
    std::memcpy(&header, head.data(), sizeof header);
    if (header.magic != TW_FRAME_MAGIC) {
      const bool at_trailer = out.has_index && file_size_ - at == sizeof(TwTrailer) &&
                              read_trailer().value_or(std::nullopt);
      return ended(at_trailer ? "" : "a frame does not begin as it should");
    }
    if (header.size > kPayloadMax) return ended("a frame has an impossible size");
    if (header.size > file_size_ - at - sizeof header) return ended("a frame is cut short");
    TRY(const Bytes payload, read_at(at + sizeof header, header.size));
    if (header.checksum != frame_checksum(header, payload) && !options_.ignore_checksums)
      return ended("a frame has a wrong checksum");
    if (out.has_index) return ended("frames follow the index");
    uint32_t& sequence = sequences[{header.type, header.process}];
    if (header.sequence != sequence++) return ended("a frame is missing");
    FrameEntry entry{.type = header.type,
                     .process = header.process,
                     .sequence = header.sequence,
                     .offset = at,
                     .size = header.size};
    if (header.type == TW_FRAME_SEGMENT) {
      auto layout = decode_segment_layout(payload);
      if (!layout) return ended("a segment is malformed");
      entry.segment = layout->header;
      entry.threads = std::move(layout->threads);
    }
    out.has_index = header.type == TW_FRAME_INDEX;
    out.frames.push_back(std::move(entry));
    at += sizeof header + header.size;
  }
  return ended("");
}

Result<std::vector<FrameEntry>> Reader::written_index() const {
  TRY(const auto trailer, read_trailer());
  if (!trailer) return fail("T005", "{} has no whole trailer", path_);
  TwFrameHeader header;
  TRY(const Bytes head, read_at(trailer->index_offset, sizeof header));
  std::memcpy(&header, head.data(), sizeof header);
  if (header.size > kPayloadMax || header.type != TW_FRAME_INDEX)
    return fail("T005", "the index of {} is damaged", path_);
  const FrameEntry entry{.type = TW_FRAME_INDEX,
                         .process = header.process,
                         .sequence = header.sequence,
                         .offset = trailer->index_offset,
                         .size = header.size};
  TRY(const Bytes payload, read_frame(entry));
  TRY(std::vector<FrameEntry> frames, decode_index(payload, file_size_ / sizeof header));
  TRY_VOID(check_offsets(frames, trailer->index_offset));
  // The frames fill the file from its header to the index, the index up to the trailer.
  frames.push_back(entry);
  if (trailer->index_offset + sizeof header + header.size + sizeof(TwTrailer) != file_size_)
    return fail("T005", "the index of {} is not at its end", path_);
  return frames;
}

Result<void> Reader::check_offsets(const std::vector<FrameEntry>& frames, uint64_t end) const {
  uint64_t at = sizeof header_;
  for (const FrameEntry& frame : frames) {
    if (frame.offset != at || frame.size > kPayloadMax || at > end)
      return fail("T005", "the index of {} does not fit the file", path_);
    at += sizeof(TwFrameHeader) + frame.size;
  }
  if (at != end) return fail("T005", "the index of {} does not fit the file", path_);
  return {};
}

Result<void> Reader::find_frames() {
  std::string why = "it has no index";
  if (!options_.ignore_index) {
    TRY(const auto trailer, read_trailer());
    if (trailer) {
      auto index = written_index();
      if (index) {
        frames_ = std::move(*index);
        return {};
      }
      why = index.error().message;
    }
  }
  TRY(Scan found, scan());
  frames_ = std::move(found.frames);
  lost_bytes_ = file_size_ - found.end;
  is_prefix_ = !(found.has_index && found.note.empty() && lost_bytes_ == sizeof(TwTrailer));
  if (is_prefix_) prefix_note_ = found.note.empty() ? why : found.note;
  if (!is_prefix_) lost_bytes_ = 0;
  return {};
}

Result<void> Reader::read_small_frames() {
  for (uint32_t i = 0; i < frames_.size(); ++i) {
    const FrameEntry& frame = frames_[i];
    if (frame.process > kProcessMax) return fail("T006", "a process number is out of range");
    if (frame.type == TW_FRAME_SEGMENT) {
      TRY_VOID(add_segment(i));
      continue;
    }
    if (frame.type == TW_FRAME_INDEX || frame.type > TW_FRAME_SUMMARY || frame.type == 0) continue;
    TRY(const Bytes payload, read_frame(frame));
    switch (frame.type) {
      case TW_FRAME_RECORDING: {
        TRY(recording_, decode_recording(payload));
        break;
      }
      case TW_FRAME_PROCESS: {
        TRY(ProcessInfo info, decode_process(frame.process, payload));
        if (frame.process == 0 || info.parent >= frame.process ||
            processes_.contains(frame.process))
          return fail("T006", "process {} begins in an impossible way", frame.process);
        processes_[frame.process].info = std::move(info);
        break;
      }
      case TW_FRAME_PROCESS_END: {
        const auto it = processes_.find(frame.process);
        if (it == processes_.end())
          return fail("T006", "process {} has no beginning", frame.process);
        TRY(it->second.end, decode_process_end(payload));
        break;
      }
      case TW_FRAME_WARNING: {
        TRY(TraceWarning warning, decode_warning(frame.process, payload));
        warnings_.push_back(std::move(warning));
        break;
      }
      case TW_FRAME_FILE: {
        TRY(PackedFile file, decode_file_header(payload));
        packed_.push_back({std::move(file), i});
        break;
      }
      case TW_FRAME_SUMMARY: {
        TRY(summary_, decode_summary(payload));
        break;
      }
      default: break;
    }
  }
  return {};
}

Result<void> Reader::add_segment(uint32_t i) {
  const FrameEntry& frame = frames_[i];
  const auto it = processes_.find(frame.process);
  if (it == processes_.end())
    return fail("T006", "a segment belongs to process {}, which has no beginning", frame.process);
  Process& process = it->second;
  const TwSegmentHeader& segment = frame.segment;
  // So that positions can be trusted without looking at other segments.
  if (segment.first_block != process.blocks || segment.first_instruction != process.instructions ||
      segment.instruction_count > kCountMax - instructions_)
    return fail("T006", "segment {} of process {} does not continue the one before it",
                frame.sequence, frame.process);
  for (const TwThreadSpan& span : frame.threads) {
    uint64_t& steps = process.thread_steps[span.thread];
    if (span.first_step != steps || span.instructions > kCountMax - steps)
      return fail("T006", "segment {} of process {} does not continue thread {}", frame.sequence,
                  frame.process, span.thread);
    steps += span.instructions;
  }
  process.segments.push_back(i);
  process.blocks += segment.block_count;
  process.instructions += segment.instruction_count;
  blocks_ += segment.block_count;
  instructions_ += segment.instruction_count;
  return {};
}

const Process* Reader::process(uint32_t number) const {
  const auto it = processes_.find(number);
  return it == processes_.end() ? nullptr : &it->second;
}

Result<Bytes> Reader::packed_contents(const PackedEntry& entry) const {
  TRY(const Bytes bytes, payload(entry.frame));
  return decode_file_contents(bytes);
}

std::shared_ptr<const Bytes> DecodedBlocks::find(uint8_t coding, ByteSpan coded,
                                                 uint64_t raw_size) const {
  for (const Kept& kept : kept_)
    if (kept.raw != nullptr && kept.raw->size() == raw_size && kept.coding == coding &&
        std::ranges::equal(kept.coded, coded))
      return kept.raw;
  return nullptr;
}

void DecodedBlocks::keep(uint8_t coding, ByteSpan coded, std::shared_ptr<const Bytes> raw) {
  kept_[next_++ % kept_.size()] = {coding, Bytes(coded.begin(), coded.end()), std::move(raw)};
}

Result<std::shared_ptr<const Bytes>> Reader::blocks_of(const CodedBlocks& blocks,
                                                       DecodedBlocks* decoded) const {
  const auto& [frame, coding, coded, raw_size] = blocks;
  if (decoded != nullptr) {
    // It may be another recording's: then both keep the same bytes.
    if (auto shared = decoded->find(coding, coded, raw_size)) {
      kept_blocks_.keep(frame, shared);
      return shared;
    }
  }
  auto out = kept_blocks_.find(frame);
  if (out == nullptr) {
    TRY(Bytes raw, decode_stream(TW_STREAM_BLOCKS, coding, coded, raw_size));
    out = std::make_shared<const Bytes>(std::move(raw));
    kept_blocks_.keep(frame, out);
  }
  if (decoded != nullptr) decoded->keep(coding, coded, out);
  return out;
}

Result<SegmentData> Reader::load(uint32_t frame, StreamMask mask, DecodedBlocks* decoded) const {
  CHECK(frame < frames_.size() && frames_[frame].type == TW_FRAME_SEGMENT) << frame;
  const FrameEntry& entry = frames_[frame];
  const auto where = [&](Error error) {
    return std::unexpected(
        std::move(error).in(fmt::format("in segment {} of process {} at byte {} of {}",
                                        entry.sequence, entry.process, entry.offset, path_)));
  };
  auto bytes = read_frame(entry);
  if (!bytes) return where(std::move(bytes).error());
  const auto layout = decode_segment_layout(*bytes);
  if (!layout) return where(layout.error());
  if (!same_layout(entry, *layout))
    return where({"T005", "the segment is not what the index says", {}, {}});
  SegmentData out;
  ByteReader in(ByteSpan(*bytes).subspan(layout->streams_at));
  for (int i = 0; i < TW_STREAM_COUNT; ++i) {
    const auto& stream = layout->header.stream[i];
    const ByteSpan coded = in.take(stream.coded_size);
    if ((mask & stream_bit(static_cast<TwStream>(i))) == 0) continue;
    if (i == TW_STREAM_BLOCKS) {
      auto blocks = blocks_of({frame, stream.coding, coded, stream.raw_size}, decoded);
      if (!blocks) return where(std::move(blocks).error());
      out.shared_blocks = std::move(*blocks);
      continue;
    }
    auto raw = decode_stream(static_cast<TwStream>(i), stream.coding, coded, stream.raw_size);
    if (!raw) return where(std::move(raw).error());
    out.streams[i] = std::move(*raw);
  }
  return out;
}

Result<Dictionary> Reader::dictionary(uint32_t number) const {
  // From the process up to the oldest one it inherits from.
  std::vector<const Process*> line;
  for (const Process* p = process(number); p != nullptr; p = process(p->info.parent)) {
    line.push_back(p);
    if (p->info.origin != TW_ORIGIN_FORK) break;
  }
  if (line.empty()) return fail("T008", "there is no process {}", number);
  Dictionary out;
  for (size_t i = line.size(); i-- > 0;) {
    if (i + 1 < line.size()) {
      const Dictionary parent = std::move(out);
      out = {};
      out.inherit(parent, line[i]->info.inherited_blocks, line[i]->info.inherited_helpers);
    }
    for (const uint32_t segment : line[i]->segments) {
      if (frames_[segment].segment.stream[TW_STREAM_DEFS].raw_size == 0) continue;
      TRY(SegmentData data, load(segment, stream_bit(TW_STREAM_DEFS)));
      TRY_VOID(out.add(std::make_shared<const Bytes>(std::move(data.streams[TW_STREAM_DEFS]))));
    }
  }
  return out;
}

}  // namespace twinrun
