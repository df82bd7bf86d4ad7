// SPDX-License-Identifier: MIT
#include "values/outside_source.h"

#include "kernel/descriptors.h"
#include "kernel/file_status.h"
#include "kernel/syscalls.h"
#include "trace/initial_stack.h"
#include "values/outside_call.h"

#include <algorithm>
#include <cstring>

namespace twinrun {
namespace {

/// Which file a system call took the bytes from.
Result<void> describe_input(const Reader& reader, const Process& process, const LastWriter& writer,
                            uint64_t where, uint32_t size, std::optional<int64_t> asked,
                            OutsideSource& out) {
  TRY(Descriptors descriptors, Descriptors::at_start(reader, process));
  // Bytes that the call had written in front of this piece: a large read goes on in further
  // segments.
  uint64_t before = 0;
  for (uint32_t number = 0; number <= writer.block.segment; ++number) {
    TRY(const SegmentData data,
        reader.load(process.segments[number], stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    uint32_t index = 0;
    for (Event event; events.next(event); ++index) {
      const bool is_it = number == writer.block.segment && index == writer.outside.event;
      const auto memory = event.kind == EventKind::kWritten ? MemoryEvent::parse(event)
                                                            : std::optional<MemoryEvent>();
      if (event.kind == EventKind::kSyscall) before = 0;
      if (!is_it) {
        if (memory) before += memory->bytes.size();
        descriptors.apply(event);
        continue;
      }
      uint64_t skip = 0;
      if (memory) {
        skip = where - memory->address.value;
        if (size <= 8 && skip + size <= memory->bytes.size()) {
          uint64_t value = 0;
          std::memcpy(&value, memory->bytes.data() + skip, size);
          out.value = value;
        }
      }
      if (asked) {
        // Of a pipe or a socket it is known who wrote, not what is in it.
        const std::string name = descriptors.name(*asked);
        if (!out.field.empty() || (name != "pipe" && name != "socket")) out.input = name;
        return {};
      }
      const uint32_t thread = memory ? memory->thread : writer.outside.thread;
      if (const auto source = descriptors.source(thread)) {
        out.input =
            source->name.empty() ? fmt::format("descriptor {}", source->descriptor) : source->name;
        if (source->offset && memory) out.offset = *source->offset + before + skip;
      }
      return {};
    }
  }
  return {};
}

/// Which argument or variable the bytes are of.
Result<void> describe_startup(const Reader& reader, const Process& process, uint64_t where,
                              OutsideSource& out) {
  out.input = "the program's arguments and environment";
  TRY(const InitialStack stack, initial_stack(reader, process.info.number));
  if (const InitialString* string = stack.string_at(where)) {
    out.input = string->name;
    out.offset = where - string->address;
  }
  return {};
}

/// What the thread executed next. A segment that a large read fills has no blocks: then it is in a
/// later one.
Result<Position> executed_next(ProcessValues& values, const LastWriter& writer) {
  const Process& process = values.process();
  uint32_t thread = writer.outside.thread;
  uint32_t at = writer.outside.at;
  for (uint32_t number = writer.block.segment; number < process.segments.size(); ++number) {
    TRY(const SegmentSteps* segment, values.steps(number));
    if (segment->block_count() != 0) {
      const uint32_t next = std::min(at, segment->block_count() - 1);
      if (thread == 0) thread = segment->thread_of(next);
      return Position{{process.info.number}, {thread}, {segment->steps[next]}};
    }
    at = 0;
  }
  if (thread == 0) thread = 1;
  const auto all = process.thread_steps.find(thread);
  return Position{
      {process.info.number}, {thread}, {all == process.thread_steps.end() ? 0 : all->second}};
}

}  // namespace

Result<OutsideSource> outside_source(ProcessView& view, const LastWriter& writer, uint64_t where,
                                     uint32_t size) {
  ProcessValues& values = *view.values;
  const Process& process = values.process();
  OutsideSource out;
  out.position = {{process.info.number}, {1}, {0}};
  const bool is_late = process.info.origin == TW_ORIGIN_LATE;
  if (writer.kind == LastWriter::Kind::kStart && is_late) out.kind = OutsideSource::Kind::kLate;
  if (writer.kind == LastWriter::Kind::kParent) out.kind = OutsideSource::Kind::kParent;
  if (writer.kind != LastWriter::Kind::kOutside) return out;
  TRY(out.position, executed_next(values, writer));
  const OutsideWrite& outside = writer.outside;
  std::optional<int64_t> asked;  // the descriptor of a file whose status the call told
  ToldOfFile told;
  if (outside.syscall != OutsideWrite::kNone) {
    out.call = syscall_signature(outside.syscall).name;
    if (out.call.empty()) out.call = fmt::format("syscall_{}", outside.syscall);
    TRY(const auto made, outside_call(view, writer));
    if (made) out.path = made->text().value_or("");
    const bool is_result = outside.kind == OutsideWrite::Kind::kRegisters;
    if (made && is_result) out.result = made->result;
    if (made) {
      told = told_of_file(outside.syscall, made->arguments,
                          is_result ? std::nullopt : std::optional(where));
      out.field = told.name;
      if (!out.field.empty()) asked = asked_descriptor(outside.syscall, made->arguments, out.path);
      const bool tells_count =
          is_result && (outside.syscall == sys::kRead || outside.syscall == sys::kPread64 ||
                        outside.syscall == sys::kReadv);
      if (tells_count) asked = static_cast<int64_t>(made->arguments[0]);
    }
  }
  if (told.end != 0) {
    where = told.begin;
    size = static_cast<uint32_t>(told.end - told.begin);
  }
  const FrameEntry& frame = view.of.reader().frames()[process.segments[writer.block.segment]];
  const uint64_t blocks = frame.segment.first_block + outside.at;
  using Kind = OutsideWrite::Kind;
  switch (outside.kind) {
    case Kind::kSyscall:
      out.kind = OutsideSource::Kind::kSyscall;
      TRY_VOID(describe_input(view.of.reader(), view.process(), writer, where, size, asked, out));
      return out;
    case Kind::kRegisters:
      out.kind = out.call.empty() ? OutsideSource::Kind::kSignal : OutsideSource::Kind::kSyscall;
      if (!out.call.empty())
        TRY_VOID(describe_input(view.of.reader(), view.process(), writer, where, size, asked, out));
      return out;
    case Kind::kSignal: out.kind = OutsideSource::Kind::kSignal; return out;
    case Kind::kStartup:
      out.kind = OutsideSource::Kind::kStartup;
      TRY_VOID(describe_startup(view.of.reader(), view.process(), where, out));
      return out;
    case Kind::kClobbered:
      // In front of everything: by the program, before it came to the function.
      out.kind = is_late && blocks == 0 ? OutsideSource::Kind::kLate : OutsideSource::Kind::kUnseen;
      return out;
    case Kind::kMapped: break;
  }
  out.kind = OutsideSource::Kind::kZero;
  const Mapping* mapping = view.maps.find({where}, blocks);
  if (mapping != nullptr && mapping->file != Mapping::kNoFile) {
    out.kind = OutsideSource::Kind::kFile;
    out.input = view.maps.files()[mapping->file].path;
    out.offset = mapping->offset + (where - mapping->start.value);
  }
  return out;
}

}  // namespace twinrun
