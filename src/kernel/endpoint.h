// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <string>

namespace twinrun {

/// An end of a pipe or a socket: as much of it as tells which other end it talks to.
struct Endpoint {
  enum class Kind : uint8_t {
    kUnknown,  // a file, or something that came into the process unseen
    kOutside,  // open since before the recording
    kPair,     // of a pipe or of socketpair()
    kSocket,
  };
  Kind kind = Kind::kUnknown;
  // Which process made it, and as which one: those that forked from it have the same.
  uint32_t process = 0;
  uint32_t number = 0;
  bool is_second = false;  // kPair: of the two
  // kSocket:
  uint64_t family = 0;
  uint64_t type = 0;
  std::string local;   // own address; empty: not known
  std::string remote;  // the one it is connected to

  [[nodiscard]] bool is_made_with(const Endpoint& other) const {
    return process == other.process && number == other.number;
  }
};

/// An address of the kernel's as text that two processes write alike: the path, or the port, since
/// one side says "any" where the other says 127.0.0.1. Empty for one that says neither.
std::string socket_address(ByteSpan bytes);

}  // namespace twinrun
