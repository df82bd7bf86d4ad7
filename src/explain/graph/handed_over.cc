// SPDX-License-Identifier: MIT
// Causes that go from one process to another.
//
// To the process that has them, arguments are inputs; to the shell that made them they are not. So
// where a recording has both, a value is followed from the one into the other:
//
//   arguments, environment   to the strings that the process before gave to execve
//   status of a child        to the argument of the child's exit, or to the signal that killed it
//                            (handed_status.cc)
//   pipes and sockets        to the bytes that another process, or the same one, sent
//                            (handed_stream.cc)
//   files                    to the bytes that another process gave to write
//   size of a file           to the count that was given to the last write
//
// The recording has no offsets of files that are shared. But it has the bytes: what a process has
// read from a descriptor is held against all that each other process has written to a file of that
// name, and only when exactly one of them begins with the very same bytes, those read last
// included, it is taken for the writer. So what is told is true of the bytes, whatever became of
// the descriptors; with several writers, or none, the trail ends at an input as before.
//
// Costs the events of the processes, once, and a comparison of what was read so far for each
// question.
#include "explain/graph/handed_over.h"

#include "base/text.h"
#include "kernel/file_status.h"
#include "kernel/syscalls.h"
#include "trace/initial_stack.h"
#include "values/made_calls.h"
#include "values/past_memory.h"

#include <algorithm>
#include <cstring>

namespace twinrun {
namespace {

constexpr uint32_t kAtEnd = ~0u;  // a statement behind the block's last one
constexpr size_t kStringsMost = 100'000;

/// What a process has read from the descriptor of a call, up to the bytes that the call brought, or
/// when they are in no memory, with all that it brought.
struct ReadSoFar {
  std::string bytes;
  bool has_it = false;
};

Result<ReadSoFar> read_so_far(const Reader& reader, const Process& process,
                              const LastWriter& writer, const BytesOf& what) {
  ReadSoFar out;
  std::map<uint32_t, SyscallEvent> calls;    // by thread
  std::map<int64_t, std::string> by_number;  // descriptors
  for (uint32_t number = 0; number <= writer.block.segment; ++number) {
    TRY(const SegmentData data,
        reader.load(process.segments[number], stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    uint32_t index = 0;
    for (Event event; events.next(event); ++index) {
      if (event.kind == EventKind::kSyscall) {
        if (const auto call = SyscallEvent::parse(event)) {
          // Whatever the number meant before, it means something else now.
          if (call->number == sys::kClose || call->number == sys::kDup2)
            by_number.erase(
                static_cast<int64_t>(call->arguments[call->number == sys::kDup2 ? 1 : 0]));
          calls[call->thread] = *call;
        }
      }
      const bool is_it = number == writer.block.segment && index == writer.outside.event;
      if (is_it && !what.in_memory) {
        const auto call = calls.find(writer.outside.thread);
        if (call == calls.end()) return out;
        const auto stream = by_number.find(static_cast<int64_t>(call->second.arguments[0]));
        if (stream == by_number.end()) return out;
        return ReadSoFar{std::move(stream->second), true};
      }
      if (event.kind != EventKind::kWritten) continue;
      const auto memory = MemoryEvent::parse(event);
      const auto call = memory ? calls.find(memory->thread) : calls.end();
      if (call == calls.end() || memory->part != TW_PART_SYSCALL ||
          (call->second.number != sys::kRead && call->second.number != sys::kReadv))
        continue;
      std::string& stream = by_number[static_cast<int64_t>(call->second.arguments[0])];
      if (!is_it) {
        stream.append(memory->bytes.begin(), memory->bytes.end());
        continue;
      }
      const uint64_t skip = what.where - memory->address.value;
      if (what.where < memory->address.value || skip + what.size > memory->bytes.size()) return out;
      stream.append(memory->bytes.begin(),
                    memory->bytes.begin() + static_cast<ptrdiff_t>(skip + what.size));
      return ReadSoFar{std::move(stream), true};
    }
  }
  return out;
}

/// Where the kernel found how much to write: in the call's third argument, or in the list of what
/// to write.
BytesOf length_of(const OutputPiece& piece) {
  if (piece.length_at) return {true, *piece.length_at, sizeof(uint64_t)};
  return {false, reg::kRdx, sizeof(uint64_t)};
}

/// Whether all that was written begins with these bytes.
bool begins_with(const Output& output, const std::string& bytes) {
  if (output.size < bytes.size()) return false;
  for (const OutputPiece& piece : output.pieces) {
    if (piece.offset >= bytes.size()) break;
    const size_t count = std::min<size_t>(piece.bytes.size(), bytes.size() - piece.offset);
    if (!std::equal(piece.bytes.begin(), piece.bytes.begin() + static_cast<ptrdiff_t>(count),
                    reinterpret_cast<const uint8_t*>(bytes.data()) + piece.offset))
      return false;
  }
  return true;
}

}  // namespace

Result<std::optional<BlockAt>> last_block_of(ProcessView& view) {
  for (uint32_t number = view.values->segments(); number-- > 0;) {
    TRY(const SegmentSteps* segment, view.values->steps(number));
    if (segment->block_count() != 0) return BlockAt{number, segment->block_count() - 1};
  }
  return std::nullopt;
}

Result<std::optional<HandedOver>> HandOvers::find(RunSide side, ProcessView& view,
                                                  const LastWriter& writer,
                                                  const OutsideSource& source,
                                                  const BytesOf& bytes) {
  if (source.field == kFileSize) return from_size(side, view, writer, source, bytes);
  if (source.kind == OutsideSource::Kind::kStartup && bytes.in_memory)
    return from_exec(side, view, bytes);
  if (source.kind != OutsideSource::Kind::kSyscall) return std::nullopt;
  if (source.call == "wait4" || source.call == "waitid")
    return from_child(side, view, writer, bytes);
  const bool is_read = source.call == "read" || source.call == "readv";
  const bool is_received =
      source.call == "recvfrom" || source.call == "recvmsg" || source.call == "recvmmsg";
  if (!is_read && !is_received) return std::nullopt;
  TRY(const auto sent, from_stream(side, view, writer, bytes));
  if (sent || !is_read || source.input == "pipe" || source.input == "socket") return sent;
  return from_file(side, view, writer, source, bytes);
}

Result<std::optional<HandedOver>> HandOvers::from_exec(RunSide side, ProcessView& view,
                                                       const BytesOf& bytes) {
  Run& run = runs_.run(side);
  // A forked process has what its parent was started with.
  const Process* process = &view.process();
  while (process != nullptr && process->info.origin == TW_ORIGIN_FORK)
    process = run.reader().process(process->info.parent);
  if (process == nullptr || process->info.origin != TW_ORIGIN_EXEC) return std::nullopt;
  const Process* before = run.reader().process(process->info.parent);
  if (before == nullptr || !is_started_alike(side, *process)) return std::nullopt;
  TRY(const InitialStack start, initial_stack(run.reader(), process->info.number));
  const InitialString* string = start.string_at(bytes.where);
  if (string == nullptr) return std::nullopt;
  const auto index = static_cast<size_t>(string - start.strings.data());
  const bool is_argument = index < start.argv.size();
  if (!is_argument && index >= start.argv.size() + start.env.size()) return std::nullopt;
  const std::string& text = is_argument ? start.argv[index] : start.env[index - start.argv.size()];
  TRY(const auto call, last_call_of(run.reader(), *before));
  if (!call || (call->call.number != sys::kExecve && call->call.number != sys::kExecveat))
    return std::nullopt;
  const size_t list = (call->call.number == sys::kExecve ? 1 : 2) + (is_argument ? 0 : 1);
  const uint64_t listed = call->call.arguments[list];
  TRY(ProcessView* const from, view_of(run, before->info.number));
  PastMemory memory(*from, {call->block, kAtEnd});
  // A script gets words of its first line in front of its own, so places can be others.
  for (uint64_t i = 0; i < kStringsMost; ++i) {
    uint64_t address = 0;
    std::array<uint8_t, sizeof address> word{};
    if (!memory.read(listed + i * sizeof address, word)) break;
    std::memcpy(&address, word.data(), sizeof address);
    if (address == 0) break;
    std::vector<uint8_t> there(text.size() + 1);
    if (!memory.read(address, there) || std::memcmp(there.data(), text.c_str(), there.size()) != 0)
      continue;
    if (is_argument && i != index && i + 1 < start.argv.size() && start.argv[i] == text) continue;
    return HandedOver{.from = from,
                      .block = call->block,
                      .bytes = {true, address + (bytes.where - string->address), bytes.size},
                      .chosen_by = BytesOf{true, listed + i * sizeof address, sizeof address}};
  }
  return std::nullopt;
}

bool HandOvers::is_started_alike(RunSide side, const Process& process) const {
  const auto partner_of = [&](uint32_t number) -> const Process* {
    for (const ThreadAlignment& thread : runs_.report().threads) {
      const Position& own = side == RunSide::kA ? thread.a : thread.b;
      const Position& others = side == RunSide::kA ? thread.b : thread.a;
      if (own.process.value == number && others.process.value != 0)
        return runs_.run(other(side)).reader().process(others.process.value);
    }
    return nullptr;
  };
  const Process* const same = partner_of(process.info.number);
  const Process* const before = partner_of(process.info.parent);
  return same != nullptr && before != nullptr && same->info.origin == TW_ORIGIN_EXEC &&
         same->info.parent == before->info.number;
}

Result<const std::vector<Output>*> HandOvers::outputs(RunSide side, uint32_t process) {
  const auto [known, is_new] = outputs_.try_emplace({side, process});
  if (is_new) {
    const Reader& reader = runs_.run(side).reader();
    TRY(known->second, outputs_of(reader, *reader.process(process)));
  }
  return &known->second;
}

Result<std::optional<HandedOver>> HandOvers::from_file(RunSide side, ProcessView& view,
                                                       const LastWriter& writer,
                                                       const OutsideSource& source,
                                                       const BytesOf& bytes) {
  Run& run = runs_.run(side);
  TRY(const ReadSoFar read, read_so_far(run.reader(), view.process(), writer, bytes));
  if (!read.has_it || read.bytes.empty()) return std::nullopt;
  std::optional<HandedOver> out;
  for (const auto& [number, process] : run.reader().processes()) {
    if (number == view.process().info.number) continue;
    TRY(const std::vector<Output>* all, outputs(side, number));
    for (const Output& output : *all) {
      if (base_name(output.name) != base_name(source.input)) continue;
      if (!begins_with(output, read.bytes)) continue;
      if (out) return std::nullopt;  // either of them
      const uint64_t first = read.bytes.size() - (bytes.in_memory ? bytes.size : 1);
      const auto behind = std::ranges::upper_bound(output.pieces, first, {}, &OutputPiece::offset);
      if (behind == output.pieces.begin()) continue;
      const OutputPiece& piece = *std::prev(behind);
      const uint64_t skip = first - piece.offset;
      const uint64_t count = std::min<uint64_t>(bytes.size, piece.bytes.size() - skip);
      TRY(ProcessView* const from, view_of(run, number));
      // How much was read is how much was written.
      out = HandedOver{from, piece.block,
                       bytes.in_memory
                           ? BytesOf{true, piece.address + skip, static_cast<uint32_t>(count)}
                           : length_of(piece)};
    }
  }
  return out;
}

Result<std::optional<HandedOver>> HandOvers::from_size(RunSide side, ProcessView& view,
                                                       const LastWriter& writer,
                                                       const OutsideSource& source,
                                                       const BytesOf& bytes) {
  const std::optional<uint64_t> told = bytes.in_memory ? source.value : source.result;
  const std::string& name = source.input.empty() ? source.path : source.input;
  if (!told || *told == 0 || name.empty()) return std::nullopt;
  Run& run = runs_.run(side);
  std::optional<HandedOver> out;
  for (const auto& [number, process] : run.reader().processes()) {
    const bool is_same = number == view.process().info.number;
    TRY(const std::vector<Output>* all, outputs(side, number));
    for (const Output& output : *all) {
      if (base_name(output.name) != base_name(name)) continue;
      // Of its own writes, those before it asked; of another process's, all.
      const OutputPiece* last = nullptr;
      for (const OutputPiece& piece : output.pieces)
        if (!is_same || piece.block < writer.block) last = &piece;
      if (last == nullptr || last->offset + last->bytes.size() != *told) continue;
      if (out) return std::nullopt;  // either of them
      TRY(ProcessView* const from, view_of(run, number));
      out = HandedOver{from, last->block, length_of(*last)};
    }
  }
  return out;
}

}  // namespace twinrun
