// SPDX-License-Identifier: MIT
// For tests: tiny recordings made by hand.
#pragma once

#include "base/bytes.h"
#include "base/check.h"
#include "trace/event.h"
#include "trace/writer.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace twinrun {

/// A directory that goes away with the object.
class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "twinrun-XXXXXX").string();
    CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline Bytes read_whole_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

inline void write_whole_file(const std::string& path, ByteSpan bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

/// What a block definition of a test says; code bytes are nops unless given.
struct BlockSpec {
  uint64_t address = 0x1000;
  std::vector<uint8_t> lengths = {1};
  uint32_t flags = 0;
  uint32_t jump = TW_JUMP_BORING;
  std::vector<uint32_t> exits = {};  // instructions begun at each side exit
  Bytes code = {};
  Bytes ir = {};  // sets TW_BLOCK_HAS_IR
};

inline Bytes encode_block(uint32_t id, const BlockSpec& spec) {
  ByteWriter out;
  out.varint(id);
  out.varint(spec.exits.size() + 1);
  out.varint(spec.address);
  out.varint(spec.flags | (spec.ir.empty() ? 0 : TW_BLOCK_HAS_IR));
  out.varint(spec.jump);
  out.varint(spec.lengths.size());
  out.raw(spec.lengths);
  size_t size = 0;
  for (const uint8_t length : spec.lengths) size += length;
  Bytes code = spec.code;
  code.resize(size, 0x90);
  out.raw(code);
  for (const uint32_t begun : spec.exits) out.varint(begun);
  out.raw(spec.ir);
  return out.take();
}

/// The streams of one segment.
class SegmentBuilder {
 public:
  void define(uint32_t id, const BlockSpec& spec) {
    define_raw(TW_DEF_BLOCK, encode_block(id, spec));
  }
  void define_helper(uint32_t number, std::string_view name) {
    ByteWriter payload;
    payload.varint(number);
    payload.string(name);
    define_raw(TW_DEF_HELPER, payload.bytes());
  }
  void define_raw(uint32_t kind, ByteSpan payload) {
    streams_[TW_STREAM_DEFS].varint(kind);
    streams_[TW_STREAM_DEFS].varint(payload.size());
    streams_[TW_STREAM_DEFS].raw(payload);
  }
  void run(std::initializer_list<uint32_t> values) {
    for (const uint32_t value : values) run(value);
  }
  void run(uint32_t value) {
    streams_[TW_STREAM_BLOCKS].fixed(value);
    ++slot_.block_count;
  }
  void event(uint8_t kind, std::initializer_list<uint64_t> fields, ByteSpan bytes = {}) {
    ByteWriter payload;
    for (const uint64_t field : fields) payload.varint(field);
    payload.raw(bytes);
    event_raw(kind, slot_.block_count, payload.bytes());
  }
  void event_raw(uint8_t kind, uint64_t at, ByteSpan payload) {
    ByteWriter& events = streams_[TW_STREAM_EVENTS];
    events.fixed(kind);
    events.varint(at);
    events.varint(payload.size());
    events.raw(payload);
  }
  void map(uint64_t address, uint64_t length, uint32_t prot, std::string_view path,
           std::string_view build_id, uint64_t offset = 0) {
    ByteWriter payload;
    for (const uint64_t field :
         {address, length, uint64_t{prot}, uint64_t{path.empty() ? TW_MAP_ANON : TW_MAP_FILE},
          offset, uint64_t{1}, uint64_t{2}})
      payload.varint(field);
    payload.string(path);
    payload.string(build_id);
    event_raw(TW_EVENT_MAP, slot_.block_count, payload.bytes());
  }
  void miss(uint32_t load, ByteSpan value) {
    streams_[TW_STREAM_MISS_POS].fixed((slot_.block_count - 1) << TW_MISS_LOAD_BITS | load);
    streams_[TW_STREAM_MISS_VAL].raw(value);
  }
  void opaque(ByteSpan value) { streams_[TW_STREAM_OPAQUE].raw(value); }

  TwSlot& slot() { return slot_; }
  /// Starts a chunk: the flag and its event.
  void begin_chunk() {
    slot_.flags |= TW_SEGMENT_CHUNK_START;
    event(TW_EVENT_CHUNK, {});
  }
  Result<void> write(Writer& writer, uint32_t process) const {
    std::array<ByteSpan, TW_STREAM_COUNT> spans;
    for (int i = 0; i < TW_STREAM_COUNT; ++i) spans[i] = streams_[i].bytes();
    return writer.segment(process, slot_, spans);
  }

 private:
  TwSlot slot_{};
  std::array<ByteWriter, TW_STREAM_COUNT> streams_;
};

/// A well-formed recording of two processes (the second forked), two threads, a rep instruction, a
/// handled signal that left a block in its middle, system calls and mappings.
inline std::unique_ptr<Writer> make_writer(const std::string& path) {
  auto writer = Writer::create({.final_path = path, .reserve = WriterOptions::kNoReserve},
                               {.features = 0, .start_time_ns = 1'700'000'000'000'000'000});
  CHECK(writer.has_value()) << writer.error().message;
  return std::move(*writer);
}

inline void write_small_recording(Writer& writer) {
  const auto must = [](const Result<void>& result) {
    CHECK(result.has_value()) << (result ? "" : result.error().message);
  };
  must(writer.recording({.argv = {"./prog", "in put"},
                         .env = {"HOME=/root"},
                         .cwd = "/tmp",
                         .twinrun_version = "0.1.0",
                         .valgrind_version = "3.19.0",
                         .host = "Linux 6.1",
                         .cpu_features = "avx2",
                         .flags = kRecordingPadded,
                         .facts = {{"limit", "none"}}}));
  must(writer.begin_process({.number = 1,
                             .origin = TW_ORIGIN_ROOT,
                             .pid = 100,
                             .parent_pid = 99,
                             .state_size = 16,
                             .registers = {{"rax", 0, 8}, {"rip", 8, 8}}}));
  SegmentBuilder first;
  first.begin_chunk();
  first.event(TW_EVENT_THREAD_START, {1, 0});
  first.event(TW_EVENT_THREAD_SWITCH, {1});
  first.event(TW_EVENT_CALLS, {1, 0});
  first.map(0x1000, 0x3000, 5, "/bin/prog", "abcdefgh");
  // 0x1000: two instructions, the second is "jmp 0x1008" (eb 05).
  first.define(1, {.address = 0x1000, .lengths = {1, 2}, .code = {0x90, 0xeb, 0x05}});
  // 0x1008: nop; rep movsb.
  first.define(2, {.address = 0x1008,
                   .lengths = {1, 2},
                   .flags = TW_BLOCK_REP,
                   .exits = {2},
                   .code = {0x90, 0xf3, 0xa4}});
  first.define(4, {.address = 0x1009,
                   .lengths = {2},
                   .flags = TW_BLOCK_REP,
                   .exits = {1},
                   .code = {0xf3, 0xa4}});
  // 0x100b: syscall.
  first.define(6,
               {.address = 0x100b, .lengths = {2}, .jump = TW_JUMP_SYSCALL, .code = {0x0f, 0x05}});
  // 0x100d: three instructions, the last jumps back to 0x1000 (eb ef).
  first.define(7, {.address = 0x100d, .lengths = {1, 1, 2}, .code = {0x90, 0x90, 0xeb, 0xef}});
  first.run({1, 3, 5, 5, 4, 6});  // rep: three iterations, then the counter is zero
  first.event(TW_EVENT_SYSCALL, {1, 1, 1, 0x2000, 3, 0, 0, 0});
  first.event(TW_EVENT_READ, {1, TW_PART_SYSCALL, 0x2000}, Bytes{'h', 'i', '\n'});
  first.event(TW_EVENT_SYSCALL_RESULT, {1, 1, 3});
  first.run(7);
  must(first.write(writer, 1));

  SegmentBuilder second;
  second.slot().thread_at_start = 1;
  second.event(TW_EVENT_THREAD_START, {2, 1});
  second.run({1, 2});  // the counter is zero at once
  second.event(TW_EVENT_THREAD_SWITCH, {2});
  second.event(TW_EVENT_CALLS, {2, 0});
  second.run({1, 2, 6});
  second.event(TW_EVENT_SYSCALL, {2, 39, 0, 0, 0, 0, 0, 0});
  second.event(TW_EVENT_SYSCALL_RESULT, {2, 39, 100});
  second.event(TW_EVENT_THREAD_SWITCH, {1});
  second.run({6});
  second.event(TW_EVENT_SYSCALL, {1, 57, 0, 0, 0, 0, 0, 0});
  second.event(TW_EVENT_FORK, {1, 101});
  second.event(TW_EVENT_SYSCALL_RESULT, {1, 57, 101});
  second.run({7});
  second.event(TW_EVENT_SIGNAL, {1, 11, 1, 0x100e, TW_SIGNAL_HANDLED | TW_SIGNAL_PARTIAL, 1, 0});
  second.run({1, 2, 6});
  second.event(TW_EVENT_SYSCALL, {1, 231, 0, 0, 0, 0, 0, 0});
  second.event(TW_EVENT_EXIT, {1, 0});
  second.slot().flags |= TW_SEGMENT_LAST;
  must(second.write(writer, 1));

  must(writer.begin_process({.number = 2,
                             .parent = 1,
                             .origin = TW_ORIGIN_FORK,
                             .pid = 101,
                             .parent_pid = 100,
                             .inherited_blocks = 8,
                             .inherited_helpers = 0,
                             .parent_block = 13,
                             .parent_thread = 1,
                             .state_size = 16}));
  SegmentBuilder child;
  child.slot().thread_at_start = 1;
  child.begin_chunk();
  child.event(TW_EVENT_CALLS, {1, 0});
  child.event(TW_EVENT_SYSCALL_RESULT, {1, 57, 0});
  child.define(8,
               {.address = 0x2000, .lengths = {2}, .jump = TW_JUMP_SYSCALL, .code = {0x0f, 0x05}});
  child.run({7, 1, 2, 6});
  child.event(TW_EVENT_SYSCALL, {1, 231, 3, 0, 0, 0, 0, 0});
  child.event(TW_EVENT_EXIT, {1, 3});
  child.slot().flags |= TW_SEGMENT_LAST;
  must(child.write(writer, 2));
  must(writer.end_process(1, {.how = EndKind::kExited, .status = 0}));
  must(writer.warning(2, "W001", "an example"));
  must(writer.end_process(2, {.how = EndKind::kExited, .status = 3}));
}

/// The bytes of the small recording, complete.
inline Bytes small_recording() {
  const TempDir dir;
  const std::string path = dir.file("small.twin");
  const auto writer = make_writer(path);
  write_small_recording(*writer);
  const auto finished = writer->finish({.how = EndKind::kExited, .status = 0});
  CHECK(finished.has_value()) << (finished ? "" : finished.error().message);
  return read_whole_file(path);
}

}  // namespace twinrun
