// SPDX-License-Identifier: MIT
#include "trace/frame.h"

#include "trace/coding.h"

#include <xxhash.h>

#include <cstddef>
#include <limits>

namespace twinrun {
namespace {

static_assert(sizeof(TwFileHeader) == 64);
static_assert(sizeof(TwFrameHeader) == 32);
static_assert(sizeof(TwTrailer) == 32);
static_assert(sizeof(TwSegmentHeader) == 48 + 16 * TW_STREAM_COUNT);
static_assert(sizeof(TwThreadSpan) == 24);

std::unexpected<Error> too_short(uint32_t type) {
  return fail("T006", "a {} frame is malformed", frame_type_name(type));
}

std::vector<std::string> read_strings(ByteReader& in) {
  std::vector<std::string> out;
  // No reserve: the count is untrusted, and each string takes at least one byte.
  for (uint64_t left = in.varint(); left > 0 && !in.failed(); --left) out.emplace_back(in.string());
  return out;
}

void write_strings(ByteWriter& out, const std::vector<std::string>& strings) {
  out.varint(strings.size());
  for (const std::string& text : strings) out.string(text);
}

uint32_t read_u32(ByteReader& in) {
  const uint64_t value = in.varint();
  return value > std::numeric_limits<uint32_t>::max() ? std::numeric_limits<uint32_t>::max()
                                                      : static_cast<uint32_t>(value);
}

template <typename T>
ByteSpan bytes_of(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

template <typename T>
bool read_struct(ByteReader& in, T& out) {
  const ByteSpan p = in.take(sizeof out);
  if (p.size() != sizeof out) return false;
  std::memcpy(&out, p.data(), sizeof out);
  return true;
}

}  // namespace

const char* frame_type_name(uint32_t type) {
  switch (type) {
    case TW_FRAME_RECORDING: return "recording";
    case TW_FRAME_PROCESS: return "process";
    case TW_FRAME_SEGMENT: return "segment";
    case TW_FRAME_PROCESS_END: return "process end";
    case TW_FRAME_WARNING: return "warning";
    case TW_FRAME_FILE: return "file";
    case TW_FRAME_INDEX: return "index";
    case TW_FRAME_SUMMARY: return "summary";
    default: return "unknown";
  }
}

uint64_t file_header_checksum(const TwFileHeader& header) {
  return XXH3_64bits(&header, offsetof(TwFileHeader, checksum));
}
uint64_t trailer_checksum(const TwTrailer& trailer) {
  return XXH3_64bits(&trailer, offsetof(TwTrailer, checksum));
}
uint64_t frame_checksum(const TwFrameHeader& header, ByteSpan payload) {
  return XXH3_64bits_withSeed(payload.data(), payload.size(),
                              XXH3_64bits(&header, offsetof(TwFrameHeader, checksum)));
}

Bytes encode_recording(const RecordingInfo& info) {
  ByteWriter out;
  out.string(info.twinrun_version);
  out.string(info.valgrind_version);
  out.string(info.host);
  out.string(info.cpu_features);
  out.string(info.cwd);
  out.varint(info.flags);
  write_strings(out, info.argv);
  write_strings(out, info.env);
  out.varint(info.facts.size());
  for (const auto& [name, value] : info.facts) {
    out.string(name);
    out.string(value);
  }
  return out.take();
}

Result<RecordingInfo> decode_recording(ByteSpan payload) {
  ByteReader in(payload);
  RecordingInfo info;
  info.twinrun_version = in.string();
  info.valgrind_version = in.string();
  info.host = in.string();
  info.cpu_features = in.string();
  info.cwd = in.string();
  info.flags = in.varint();
  info.argv = read_strings(in);
  info.env = read_strings(in);
  for (uint64_t left = in.varint(); left > 0 && !in.failed(); --left) {
    std::string name(in.string());
    std::string value(in.string());
    info.facts.emplace_back(std::move(name), std::move(value));
  }
  if (in.failed()) return too_short(TW_FRAME_RECORDING);
  return info;
}

Bytes encode_process(const ProcessInfo& info) {
  ByteWriter out;
  out.varint(info.parent);
  out.varint(info.origin);
  out.varint(info.pid);
  out.varint(info.parent_pid);
  out.varint(info.inherited_blocks);
  out.varint(info.inherited_helpers);
  out.varint(info.parent_block);
  out.varint(info.parent_thread);
  out.varint(info.state_size);
  out.varint(info.time_ns);
  out.varint(info.registers.size());
  for (const RegisterName& reg : info.registers) {
    out.string(reg.name);
    out.varint(reg.offset);
    out.varint(reg.size);
  }
  return out.take();
}

Result<ProcessInfo> decode_process(uint32_t number, ByteSpan payload) {
  ByteReader in(payload);
  ProcessInfo info;
  info.number = number;
  info.parent = read_u32(in);
  info.origin = read_u32(in);
  info.pid = read_u32(in);
  info.parent_pid = read_u32(in);
  info.inherited_blocks = read_u32(in);
  info.inherited_helpers = read_u32(in);
  info.parent_block = in.varint();
  info.parent_thread = read_u32(in);
  info.state_size = read_u32(in);
  info.time_ns = in.varint();
  for (uint64_t left = in.varint(); left > 0 && !in.failed(); --left) {
    RegisterName reg;
    reg.name = in.string();
    reg.offset = read_u32(in);
    reg.size = read_u32(in);
    info.registers.push_back(std::move(reg));
  }
  if (in.failed()) return too_short(TW_FRAME_PROCESS);
  return info;
}

Bytes encode_process_end(const ProcessEnd& end) {
  ByteWriter out;
  out.varint(static_cast<uint32_t>(end.how));
  out.varint(end.status);
  out.varint(end.time_ns);
  out.varint(end.lost_bytes);
  out.string(end.note);
  return out.take();
}

Result<ProcessEnd> decode_process_end(ByteSpan payload) {
  ByteReader in(payload);
  ProcessEnd end;
  end.how = static_cast<EndKind>(read_u32(in));
  end.status = read_u32(in);
  end.time_ns = in.varint();
  end.lost_bytes = in.varint();
  end.note = in.string();
  if (in.failed()) return too_short(TW_FRAME_PROCESS_END);
  return end;
}

Bytes encode_warning(const TraceWarning& warning) {
  ByteWriter out;
  out.string(warning.code);
  out.string(warning.text);
  return out.take();
}

Result<TraceWarning> decode_warning(uint32_t process, ByteSpan payload) {
  ByteReader in(payload);
  TraceWarning warning;
  warning.process = process;
  warning.code = in.string();
  warning.text = in.string();
  if (in.failed()) return too_short(TW_FRAME_WARNING);
  return warning;
}

Bytes encode_summary(const RecordingEnd& end) {
  ByteWriter out;
  out.varint(static_cast<uint32_t>(end.how));
  out.varint(end.status);
  out.varint(end.time_ns);
  out.varint(static_cast<uint32_t>(end.stop));
  out.string(end.note);
  out.varint(end.instructions);
  out.varint(end.blocks);
  out.varint(end.raw_bytes);
  return out.take();
}

Result<RecordingEnd> decode_summary(ByteSpan payload) {
  ByteReader in(payload);
  RecordingEnd end;
  end.how = static_cast<EndKind>(read_u32(in));
  end.status = read_u32(in);
  end.time_ns = in.varint();
  end.stop = static_cast<StopReason>(read_u32(in));
  end.note = in.string();
  end.instructions = in.varint();
  end.blocks = in.varint();
  end.raw_bytes = in.varint();
  if (in.failed()) return too_short(TW_FRAME_SUMMARY);
  return end;
}

Bytes encode_file(const PackedFile& file, ByteSpan contents, int level) {
  ByteWriter out;
  out.varint(static_cast<uint32_t>(file.kind));
  out.string(file.path);
  out.string({reinterpret_cast<const char*>(file.build_id.data()), file.build_id.size()});
  out.varint(contents.size());
  const Bytes coded = zstd_compress(contents, level);
  const bool smaller = coded.size() < contents.size();
  out.varint(smaller ? TW_CODING_ZSTD : TW_CODING_RAW);
  out.raw(smaller ? ByteSpan(coded) : contents);
  return out.take();
}

namespace {
struct FileFrame {
  PackedFile file;
  uint64_t coding = 0;
  ByteSpan coded;
};
Result<FileFrame> parse_file(ByteSpan payload) {
  ByteReader in(payload);
  FileFrame out;
  out.file.kind = static_cast<FileKind>(read_u32(in));
  out.file.path = in.string();
  const std::string_view id = in.string();
  out.file.build_id.assign(id.begin(), id.end());
  out.file.size = in.varint();
  out.coding = in.varint();
  out.coded = in.take(in.left());
  if (in.failed() || out.coding > TW_CODING_ZSTD || out.file.size > kPayloadMax)
    return too_short(TW_FRAME_FILE);
  return out;
}
}  // namespace

Result<PackedFile> decode_file_header(ByteSpan payload) {
  TRY(FileFrame frame, parse_file(payload));
  return std::move(frame.file);
}

Result<Bytes> decode_file_contents(ByteSpan payload) {
  TRY(const FileFrame frame, parse_file(payload));
  if (frame.coding == TW_CODING_ZSTD) return zstd_decompress(frame.coded, frame.file.size);
  if (frame.coded.size() != frame.file.size) return too_short(TW_FRAME_FILE);
  return Bytes(frame.coded.begin(), frame.coded.end());
}

Bytes encode_index(std::span<const FrameEntry> frames) {
  ByteWriter out;
  out.varint(frames.size());
  for (const FrameEntry& frame : frames) {
    out.varint(frame.type);
    out.varint(frame.process);
    out.varint(frame.sequence);
    out.varint(frame.offset);
    out.varint(frame.size);
    if (frame.type != TW_FRAME_SEGMENT) continue;
    out.raw(bytes_of(frame.segment));
    for (const TwThreadSpan& span : frame.threads) out.raw(bytes_of(span));
  }
  const Bytes raw = out.take();
  ByteWriter payload;
  payload.varint(raw.size());
  payload.raw(zstd_compress(raw));
  return payload.take();
}

Result<std::vector<FrameEntry>> decode_index(ByteSpan payload, uint64_t most_frames) {
  ByteReader outer(payload);
  const uint64_t raw_size = outer.varint();
  if (outer.failed() || raw_size > kStreamMax) return too_short(TW_FRAME_INDEX);
  TRY(const Bytes raw, zstd_decompress(outer.take(outer.left()), raw_size));
  ByteReader in(raw);
  std::vector<FrameEntry> frames;
  uint64_t left = in.varint();
  if (left > most_frames) return too_short(TW_FRAME_INDEX);
  for (; left > 0 && !in.failed(); --left) {
    FrameEntry frame;
    frame.type = read_u32(in);
    frame.process = read_u32(in);
    frame.sequence = read_u32(in);
    frame.offset = in.varint();
    frame.size = in.varint();
    if (frame.type == TW_FRAME_SEGMENT) {
      if (!read_struct(in, frame.segment)) return too_short(TW_FRAME_INDEX);
      if (frame.segment.thread_count > in.left() / sizeof(TwThreadSpan))
        return too_short(TW_FRAME_INDEX);
      frame.threads.resize(frame.segment.thread_count);
      for (TwThreadSpan& span : frame.threads) read_struct(in, span);
      const uint64_t fixed = sizeof(TwSegmentHeader) + frame.threads.size() * sizeof(TwThreadSpan);
      if (frame.size < fixed) return too_short(TW_FRAME_INDEX);
      TRY_VOID(check_segment_header(frame.segment, frame.size - fixed));
    }
    frames.push_back(std::move(frame));
  }
  if (in.failed() || !in.at_end()) return too_short(TW_FRAME_INDEX);
  return frames;
}

Result<void> check_segment_header(const TwSegmentHeader& header, uint64_t coded_bytes) {
  uint64_t coded = 0;
  for (const auto& stream : header.stream) {
    coded += stream.coded_size;
    if (stream.raw_size > kStreamMax) return too_short(TW_FRAME_SEGMENT);
  }
  if (coded != coded_bytes || header.block_count > TW_SEGMENT_BLOCKS_MAX ||
      header.stream[TW_STREAM_BLOCKS].raw_size != header.block_count * 4ull)
    return too_short(TW_FRAME_SEGMENT);
  return {};
}

Result<SegmentLayout> decode_segment_layout(ByteSpan payload) {
  ByteReader in(payload);
  SegmentLayout out;
  if (!read_struct(in, out.header)) return too_short(TW_FRAME_SEGMENT);
  if (out.header.thread_count > in.left() / sizeof(TwThreadSpan))
    return too_short(TW_FRAME_SEGMENT);
  out.threads.resize(out.header.thread_count);
  for (TwThreadSpan& span : out.threads) read_struct(in, span);
  out.streams_at = in.position();
  TRY_VOID(check_segment_header(out.header, in.left()));
  return out;
}

}  // namespace twinrun
