// SPDX-License-Identifier: MIT
#include "values/outputs.h"

#include "format/syscalls.h"
#include "kernel/descriptors.h"
#include "trace/event.h"

#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace twinrun {
namespace {

bool is_write(uint64_t number) {
  return number == sys::kWrite || number == sys::kPwrite64 || number == sys::kWritev ||
         number == sys::kSendto || number == sys::kPwritev;
}

/// A call under way.
struct Writing {
  int64_t descriptor = 0;
  bool is_vector = false;  // what it is given first is a list of addresses and lengths
  uint64_t list_at = 0;
  Bytes list;
  std::vector<OutputPiece> pieces;
};

/// Where the list of a call has the length of what is at this address.
std::optional<uint64_t> length_in(const Writing& call, uint64_t address) {
  for (size_t at = 0; at + sizeof(iovec) <= call.list.size(); at += sizeof(iovec)) {
    iovec one{};
    std::memcpy(&one, call.list.data() + at, sizeof one);
    if (address - reinterpret_cast<uint64_t>(one.iov_base) < one.iov_len)
      return call.list_at + at + offsetof(iovec, iov_len);
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<Output>> outputs_of(const Reader& reader, const Process& process) {
  Descriptors descriptors(true);
  std::vector<Output> out;
  std::map<uint32_t, Writing> calls;  // by thread
  const auto output = [&](int64_t descriptor) -> Output& {
    const std::string name = descriptors.name(descriptor);
    for (Output& known : out) {
      if (known.descriptor == descriptor && known.name == name) return known;
    }
    return out.emplace_back(Output{descriptor, name, {}, 0});
  };
  for (uint32_t number = 0; number < process.segments.size(); ++number) {
    TRY(const SegmentData data,
        reader.load(process.segments[number], stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    for (Event event; events.next(event);) {
      descriptors.apply(event);
      if (event.kind == EventKind::kSyscall) {
        const auto call = SyscallEvent::parse(event);
        if (!call) continue;
        calls.erase(call->thread);
        if (!is_write(call->number)) continue;
        Writing& writing = calls[call->thread];
        writing.descriptor = static_cast<int64_t>(call->arguments[0]);
        if (call->number == sys::kWritev || call->number == sys::kPwritev) writing.is_vector = true;
      } else if (event.kind == EventKind::kRead) {
        const auto memory = MemoryEvent::parse(event);
        const auto call = memory ? calls.find(memory->thread) : calls.end();
        if (call == calls.end()) continue;
        Writing& writing = call->second;
        if (std::exchange(writing.is_vector, false)) {
          writing.list_at = memory->address.value;
          writing.list.assign(memory->bytes.begin(), memory->bytes.end());
          continue;
        }
        // The call is made by the block that has begun last.
        const auto at = static_cast<uint32_t>(event.at);
        writing.pieces.push_back({.address = memory->address.value,
                                  .bytes = {memory->bytes.begin(), memory->bytes.end()},
                                  .block = {number, at == 0 ? 0 : at - 1}});
        if (!writing.list.empty())
          writing.pieces.back().length_at = length_in(writing, memory->address.value);
      } else if (event.kind == EventKind::kSyscallResult) {
        const auto result = SyscallResultEvent::parse(event);
        const auto call = result ? calls.find(result->thread) : calls.end();
        if (call == calls.end()) continue;
        Output& to = output(call->second.descriptor);
        auto left = static_cast<int64_t>(result->result);
        for (OutputPiece& piece : call->second.pieces) {
          if (left <= 0) break;
          const auto taken = std::min<uint64_t>(piece.bytes.size(), static_cast<uint64_t>(left));
          left -= static_cast<int64_t>(taken);
          piece.bytes.resize(taken);
          piece.offset = to.size;
          to.size += taken;
          // A long text can come in several pieces.
          to.pieces.push_back(std::move(piece));
        }
        calls.erase(call);
      }
    }
  }
  return out;
}

Result<std::set<std::string>> opened_files(const Reader& reader, const Process& process) {
  std::set<std::string> out;
  std::map<uint32_t, bool> opens;  // by thread
  for (const uint32_t segment : process.segments) {
    TRY(const SegmentData data, reader.load(segment, stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    for (Event event; events.next(event);) {
      if (event.kind == EventKind::kSyscall) {
        if (const auto call = SyscallEvent::parse(event))
          opens[call->thread] = call->number == sys::kOpen || call->number == sys::kOpenat;
      } else if (event.kind == EventKind::kRead) {
        const auto memory = MemoryEvent::parse(event);
        if (memory && std::exchange(opens[memory->thread], false))
          out.emplace(memory->bytes.begin(), std::ranges::find(memory->bytes, uint8_t{0}));
      }
    }
  }
  return out;
}

}  // namespace twinrun
