// SPDX-License-Identifier: MIT
// What went through pipes and sockets, as the calls that gave and took it.
//
// A recording has of each call the memory that the kernel read and wrote. What of that is data,
// what is a list of buffers and what an address, the call's structures say; so they are read once
// more, from these bytes. How much was taken of them is what the call returned, or for calls with
// several messages, what the kernel wrote beside each.
//
// Which end talks to which: the two ends of a pipe or a socketpair() were made by one call, and
// processes that forked have them from there. Other sockets have addresses: what one is connected
// to or sends to is what the other was bound to, or accepted from. An end of which neither is known
// reaches nobody. Costs the events of the process and of its parents.
#include "values/streams.h"

#include "format/syscalls.h"
#include "trace/event.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>

namespace twinrun {
namespace {

constexpr uint64_t kPiecesMost = 1024;  // of a message, as for the kernel
constexpr uint64_t kAddressMost = 128;  // bytes of a socket's address
constexpr uint64_t kSocketTypes = 0xf;  // the others are flags
using Memory = std::vector<std::pair<uint64_t, Bytes>>;

/// A call under way.
struct Call {
  SyscallEvent event;
  BlockAt block;
  std::pair<uint32_t, uint32_t> from;
  std::shared_ptr<const Descriptors::File> file;
  Memory read;
  Memory written;
};

/// As many bytes as are known from the address on, at most `size`.
Bytes bytes_at(const Memory& memory, uint64_t address, uint64_t size) {
  Bytes out;
  for (bool grows = true; grows && out.size() < size;) {
    grows = false;
    for (const auto& [start, bytes] : memory) {
      const uint64_t skip = address + out.size() - start;
      if (address + out.size() < start || skip >= bytes.size() || out.size() >= size) continue;
      const uint64_t count = std::min<uint64_t>(bytes.size() - skip, size - out.size());
      const auto first = bytes.begin() + static_cast<ptrdiff_t>(skip);
      out.insert(out.end(), first, first + static_cast<ptrdiff_t>(count));
      grows = true;
    }
  }
  return out;
}

template <typename T>
std::optional<T> value_at(const Memory& memory, uint64_t address) {
  const Bytes bytes = bytes_at(memory, address, sizeof(T));
  if (bytes.size() != sizeof(T)) return std::nullopt;
  T out{};
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

/// Takes `size` bytes of the buffers of a list.
void add_list(Message& out, const Call& call, const Memory& data, uint64_t list, uint64_t count) {
  uint64_t left = out.size;
  for (uint64_t i = 0; i < std::min(count, kPiecesMost) && left > 0; ++i) {
    const auto one = value_at<iovec>(call.read, list + i * sizeof(iovec));
    if (!one) break;
    const uint64_t size = std::min<uint64_t>(one->iov_len, left);
    const auto address = reinterpret_cast<uint64_t>(one->iov_base);
    out.pieces.push_back({.address = address,
                          .bytes = bytes_at(data, address, size),
                          .length_at = list + i * sizeof(iovec) + offsetof(iovec, iov_len)});
    out.is_known = out.is_known && out.pieces.back().bytes.size() == size;
    left -= size;
  }
  out.is_known = out.is_known && left == 0;
}

/// A message, and the address that it went to or came from.
using Told = std::pair<Message, std::string>;

Told with_header(const Call& call, const Memory& data, uint64_t header, uint64_t size) {
  Message out{.size = size};
  const auto list = value_at<uint64_t>(call.read, header + offsetof(msghdr, msg_iov));
  const auto count = value_at<uint64_t>(call.read, header + offsetof(msghdr, msg_iovlen));
  if (list && count) add_list(out, call, data, *list, *count);
  const auto name = value_at<uint64_t>(call.read, header + offsetof(msghdr, msg_name));
  out.is_known = out.is_known && list && count;
  return {std::move(out),
          name && *name != 0 ? socket_address(bytes_at(data, *name, kAddressMost)) : ""};
}

bool is_sending(uint64_t call) {
  return call == sys::kWrite || call == sys::kWritev || call == sys::kSendto ||
         call == sys::kSendmsg || call == sys::kSendmmsg;
}

bool is_receiving(uint64_t call) {
  return call == sys::kRead || call == sys::kReadv || call == sys::kRecvfrom ||
         call == sys::kRecvmsg || call == sys::kRecvmmsg;
}

/// What a call that has returned gave or took.
std::vector<Told> told_by(const Call& call, uint64_t result) {
  const auto& arguments = call.event.arguments;
  const Memory& data = is_sending(call.event.number) ? call.read : call.written;
  std::vector<Told> out;
  switch (call.event.number) {
    case sys::kSendmmsg:
    case sys::kRecvmmsg:
      for (uint64_t i = 0; i < result; ++i) {
        const uint64_t header = arguments[1] + i * sizeof(mmsghdr);
        const uint64_t count_at = header + offsetof(mmsghdr, msg_len);
        const auto size = value_at<uint32_t>(call.written, count_at);
        if (!size) break;
        out.push_back(with_header(call, data, header, *size));
        out.back().first.count_at = count_at;
      }
      break;
    case sys::kSendmsg:
    case sys::kRecvmsg: out.push_back(with_header(call, data, arguments[1], result)); break;
    case sys::kReadv:
    case sys::kWritev:
      out.emplace_back(Message{.size = result}, "");
      add_list(out.back().first, call, data, arguments[1], arguments[2]);
      break;
    default: {
      const bool has_address =
          call.event.number == sys::kSendto || call.event.number == sys::kRecvfrom;
      Message one{.size = result};
      one.pieces.push_back(
          {.address = arguments[1], .bytes = bytes_at(data, arguments[1], result)});
      one.is_known = one.pieces[0].bytes.size() == result;
      out.emplace_back(std::move(one),
                       has_address && arguments[4] != 0
                           ? socket_address(bytes_at(data, arguments[4], kAddressMost))
                           : "");
    }
  }
  return out;
}

/// Whether the call only looked.
bool peeks(const SyscallEvent& call) {
  const size_t flags = call.number == sys::kRecvmsg ? 2 : 3;
  const bool has_flags = call.number == sys::kRecvfrom || call.number == sys::kRecvmsg ||
                         call.number == sys::kRecvmmsg;
  return has_flags && (call.arguments[flags] & MSG_PEEK) != 0;
}

class Collector {
 public:
  explicit Collector(Descriptors descriptors) : descriptors_(std::move(descriptors)) {}

  void take(const Event& event, uint32_t segment, uint32_t number) {
    if (event.kind == EventKind::kSyscall) {
      begin(event, {segment, number});
    } else if (event.kind == EventKind::kRead || event.kind == EventKind::kWritten) {
      const auto memory = MemoryEvent::parse(event);
      const auto call = memory ? calls_.find(memory->thread) : calls_.end();
      if (call != calls_.end() && memory->part == TW_PART_SYSCALL)
        (event.kind == EventKind::kRead ? call->second.read : call->second.written)
            .emplace_back(memory->address.value, Bytes(memory->bytes.begin(), memory->bytes.end()));
    } else if (event.kind == EventKind::kSyscallResult) {
      const auto result = SyscallResultEvent::parse(event);
      const auto call = result ? calls_.find(result->thread) : calls_.end();
      if (call != calls_.end()) {
        if (static_cast<int64_t>(result->result) > 0)
          finish(call->second, result->result, {segment, number});
        calls_.erase(call);
      }
    }
    descriptors_.apply(event);
  }

  std::vector<Stream> streams;

 private:
  void begin(const Event& event, std::pair<uint32_t, uint32_t> at) {
    const auto call = SyscallEvent::parse(event);
    if (!call) return;
    calls_.erase(call->thread);
    for (const auto& [stream, message] : std::exchange(last_[call->thread], {}))
      streams[stream].messages[message].until = at;
    if (!is_sending(call->number) && !is_receiving(call->number)) return;
    auto file = descriptors_.file(static_cast<int64_t>(call->arguments[0]));
    using Kind = Endpoint::Kind;
    if (!file || (file->end.kind != Kind::kPair && file->end.kind != Kind::kSocket)) return;
    const auto begun = static_cast<uint32_t>(event.at);
    calls_[call->thread] = {.event = *call,
                            .block = {at.first, begun == 0 ? 0 : begun - 1},
                            .from = at,
                            .file = std::move(file),
                            .read = {},
                            .written = {}};
  }

  void finish(const Call& call, uint64_t result, std::pair<uint32_t, uint32_t> at) {
    for (auto& [message, peer] : told_by(call, result)) {
      const size_t number = stream_of(call, peer);
      Stream& to = streams[number];
      message.block = call.block;
      message.thread = call.event.thread;
      message.from = call.from;
      message.ended = at;
      message.offset = to.size;
      message.is_peeked = peeks(call.event);
      if (!message.is_peeked) to.size += message.size;
      to.messages.push_back(std::move(message));
      last_[call.event.thread].emplace_back(number, to.messages.size() - 1);
    }
  }

  size_t stream_of(const Call& call, const std::string& peer) {
    const bool is_sent = is_sending(call.event.number);
    const auto known = std::ranges::find_if(streams, [&](const Stream& one) {
      return one.file == call.file && one.peer == peer && one.is_sent == is_sent;
    });
    if (known != streams.end()) return static_cast<size_t>(known - streams.begin());
    streams.push_back({.file = call.file, .peer = peer, .is_sent = is_sent});
    return streams.size() - 1;
  }

  Descriptors descriptors_;
  std::map<uint32_t, Call> calls_;                                   // under way, by thread
  std::map<uint32_t, std::vector<std::pair<size_t, size_t>>> last_;  // messages, by thread
};

}  // namespace

Result<std::vector<Stream>> streams_of(const Reader& reader, const Process& process) {
  TRY(Descriptors start, Descriptors::at_start(reader, process));
  Collector out(std::move(start));
  for (uint32_t segment = 0; segment < process.segments.size(); ++segment) {
    TRY(const SegmentData data,
        reader.load(process.segments[segment], stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    uint32_t number = 0;
    for (Event event; events.next(event); ++number) out.take(event, segment, number);
  }
  return std::move(out.streams);
}

bool can_reach(const Stream& from, const Stream& to, const std::vector<Stream>& others) {
  const Endpoint& x = from.file->end;
  const Endpoint& y = to.file->end;
  if (x.kind != y.kind) return false;
  if (x.kind == Endpoint::Kind::kPair) return x.is_made_with(y) && (x.is_second != y.is_second);
  if (x.is_made_with(y) || ((x.type ^ y.type) & kSocketTypes) != 0 ||
      (x.family == AF_UNIX) != (y.family == AF_UNIX))
    return false;
  const auto meet = [](const std::string& a, const std::string& b) { return !a.empty() && a == b; };
  // One that is not connected hears from those that it has written to.
  const bool has_asked = std::ranges::any_of(others, [&](const Stream& one) {
    return one.is_sent && one.file == to.file && meet(one.peer, x.local);
  });
  return meet(from.peer.empty() ? x.remote : from.peer, y.local) ||
         meet(x.local, to.peer.empty() ? y.remote : to.peer) ||
         (has_asked && to.peer.empty() && y.remote.empty());
}

}  // namespace twinrun
