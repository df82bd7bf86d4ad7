// SPDX-License-Identifier: MIT
// What was received from a pipe or a socket, in who sent it.
//
// First the ends must belong together (streams.h): so the two directions of a connection, and two
// connections with the same words, are not taken for each other. Then the bytes decide. All that
// was received up to those asked about is held against all that was sent, from the beginning; when
// that fits nobody, because several processes send or receive, the bytes of the one call against
// those of each call. Only when exactly one fits it is the sender, so that what is told is true of
// the bytes; else the trail ends at an input. How much was received is how much was sent only where
// both end with the same byte.
//
// Costs the events of all processes, once, and the comparison of what was received so far.
#include "explain/graph/handed_over.h"

#include "values/made_calls.h"

#include <algorithm>
#include <string>

namespace twinrun {
namespace {

/// Bytes that were received.
struct Received {
  const Stream* stream = nullptr;
  const Message* message = nullptr;
  bool is_count = false;  // of them, not their contents
  uint64_t skip = 0;      // of the message, in front of those asked about
  uint64_t size = 0;
};

/// A place in what was sent.
struct Sent {
  uint32_t process = 0;
  const Message* message = nullptr;
  uint64_t skip = 0;
};

void append(std::string& out, const Message& message) {
  for (const Message::Piece& piece : message.pieces)
    out.append(piece.bytes.begin(), piece.bytes.end());
}

/// Where a message has an address; nothing when it is not among its bytes.
std::optional<uint64_t> skip_to(const Message& message, uint64_t address) {
  uint64_t before = 0;
  for (const Message::Piece& piece : message.pieces) {
    if (address >= piece.address && address - piece.address < piece.bytes.size())
      return before + (address - piece.address);
    before += piece.bytes.size();
  }
  return std::nullopt;
}

std::optional<Received> received(const std::vector<Stream>& streams, const LastWriter& writer,
                                 const BytesOf& bytes) {
  const std::pair at{writer.block.segment, writer.outside.event};
  for (const Stream& stream : streams) {
    for (const Message& message : stream.messages) {
      if (stream.is_sent || at < message.from || message.until <= at) continue;
      if (!bytes.in_memory) {
        if (message.thread == writer.outside.thread && !message.count_at)
          return Received{&stream, &message, true, message.size - 1, 1};
        continue;
      }
      if (message.count_at && bytes.where - *message.count_at < sizeof(uint32_t))
        return Received{&stream, &message, true, message.size - 1, 1};
      if (const auto skip = skip_to(message, bytes.where))
        return Received{&stream, &message, false, *skip,
                        std::min<uint64_t>(bytes.size, message.size - *skip)};
    }
  }
  return std::nullopt;
}

/// All that a stream brought, up to the end of those bytes; nothing when some of it is not known.
std::optional<std::string> received_so_far(const Received& what) {
  std::string out;
  for (const Message& message : what.stream->messages) {
    const bool is_it = &message == what.message;
    if (!is_it && message.is_peeked) continue;
    if (!message.is_known) return std::nullopt;
    append(out, message);
    if (is_it) break;
  }
  out.resize(out.size() - (what.message->size - what.skip - what.size));
  return out;
}

/// The place in a stream where the last of these bytes was sent; nothing when it begins otherwise.
std::optional<Sent> sent_as(const Stream& stream, const std::string& bytes, uint64_t last) {
  if (stream.size < bytes.size()) return std::nullopt;
  std::string sent;
  std::optional<Sent> out;
  for (const Message& message : stream.messages) {
    if (sent.size() >= bytes.size()) break;
    if (!message.is_known) return std::nullopt;
    append(sent, message);
    if (last >= message.offset && last - message.offset < message.size)
      out = Sent{0, &message, last - message.offset};
  }
  return sent.starts_with(bytes) ? out : std::nullopt;
}

/// Whether one call sent what the other one received: of a datagram that can be less.
bool is_same(const Stream& stream, const Message& sent, const Message& received) {
  if (!sent.is_known || !received.is_known || sent.size < received.size) return false;
  const bool is_whole = sent.size == received.size;
  constexpr uint64_t kDatagram = 2;
  if (!is_whole && (stream.file->end.type & 0xf) != kDatagram) return false;
  std::string x;
  std::string y;
  append(x, sent);
  append(y, received);
  return x.starts_with(y);
}

}  // namespace

Result<const std::vector<Stream>*> HandOvers::streams(RunSide side, uint32_t process) {
  const auto [known, is_new] = streams_.try_emplace({side, process});
  if (is_new) {
    const Reader& reader = runs_.run(side).reader();
    TRY(known->second, streams_of(reader, *reader.process(process)));
  }
  return &known->second;
}

Result<std::optional<HandedOver>> HandOvers::from_stream(RunSide side, ProcessView& view,
                                                         const LastWriter& writer,
                                                         const BytesOf& bytes) {
  const uint32_t own = view.process().info.number;
  TRY(const std::vector<Stream>* mine, streams(side, own));
  const auto what = received(*mine, writer, bytes);
  if (!what) return std::nullopt;
  const auto so_far = received_so_far(*what);
  std::vector<Sent> by_stream;
  std::vector<Sent> by_message;
  for (const auto& [number, process] : runs_.run(side).reader().processes()) {
    TRY(const std::vector<Stream>* all, streams(side, number));
    for (const Stream& stream : *all) {
      if (!stream.is_sent || !can_reach(stream, *what->stream, *mine)) continue;
      // It cannot have sent them after it received them. A call that waits begins in front of what
      // it waits for.
      const auto is_late = [&](const Message& sent) {
        return number == own && what->message->ended < sent.from;
      };
      auto sent = so_far ? sent_as(stream, *so_far, so_far->size() - what->size) : std::nullopt;
      if (sent && !is_late(*sent->message)) {
        sent->process = number;
        by_stream.push_back(*sent);
      }
      for (const Message& message : stream.messages)
        if (!is_late(message) && is_same(stream, message, *what->message))
          by_message.push_back({number, &message, what->skip});
    }
  }
  const std::vector<Sent>& found = by_stream.empty() ? by_message : by_stream;
  if (found.size() != 1) return std::nullopt;  // any of them, or nobody
  const Sent& from = found[0];
  TRY(ProcessView* const sender, view_of(runs_.run(side), from.process));
  HandedOver out{.from = sender, .block = from.message->block};
  uint64_t before = 0;
  for (const Message::Piece& piece : from.message->pieces) {
    const uint64_t skip = from.skip - before;
    if (skip >= piece.bytes.size()) {
      before += piece.bytes.size();
      continue;
    }
    const uint64_t count = std::min<uint64_t>(what->size, piece.bytes.size() - skip);
    out.bytes = {true, piece.address + skip, static_cast<uint32_t>(count)};
    if (what->is_count)
      out.bytes = piece.length_at ? BytesOf{true, *piece.length_at, sizeof(uint64_t)}
                                  : BytesOf{false, reg::kRdx, sizeof(uint64_t)};
    break;
  }
  if (out.bytes.size == 0 || (what->is_count && from.skip + 1 != from.message->size))
    return std::nullopt;
  return out;
}

}  // namespace twinrun
