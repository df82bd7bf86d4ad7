// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "kernel/descriptors.h"
#include "trace/reader.h"
#include "values/values.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

/// What one call gave to a pipe or a socket, or took from it.
struct Message {
  struct Piece {
    uint64_t address = 0;
    Bytes bytes;
    std::optional<uint64_t> length_at = {};  // address of its length, in a list of pieces
  };
  std::vector<Piece> pieces;
  uint64_t offset = 0;  // of its first byte among all of the stream
  uint64_t size = 0;
  bool is_known = true;    // all of the bytes are
  bool is_peeked = false;  // the next one brings them again
  std::optional<uint64_t> count_at =
      {};         // address of its size, when that is not what the call returned
  BlockAt block;  // ends with the call
  // The thread's events that belong to it: number of the segment, and of the event in it.
  uint32_t thread = 0;
  std::pair<uint32_t, uint32_t> from = {};
  std::pair<uint32_t, uint32_t> until = {~0u, ~0u};
  /// That with which the call returned: others of the process can lie between it and `from`.
  std::pair<uint32_t, uint32_t> ended = {};
};

/// All that a process sent to, or received from, one pipe or socket, and one other address where it
/// says which.
struct Stream {
  std::shared_ptr<const Descriptors::File> file;
  std::string peer;  // empty: not told
  bool is_sent = false;
  std::vector<Message> messages;
  uint64_t size = 0;
};

/// In the order of their first messages. Memory follows what was sent and received.
Result<std::vector<Stream>> streams_of(const Reader& reader, const Process& process);

/// Whether what is sent on the one can be received on the other, by what is known of both ends.
/// `others`: all streams of the receiver.
bool can_reach(const Stream& from, const Stream& to, const std::vector<Stream>& others);

}  // namespace twinrun
