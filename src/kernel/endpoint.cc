// SPDX-License-Identifier: MIT
#include "kernel/endpoint.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace twinrun {

std::string socket_address(ByteSpan bytes) {
  uint16_t family = 0;
  if (bytes.size() <= sizeof family) return {};
  std::memcpy(&family, bytes.data(), sizeof family);
  const ByteSpan rest = bytes.subspan(sizeof family);
  if (family == AF_UNIX) {
    // An abstract name begins with a zero.
    const auto end = std::find(rest.begin() + 1, rest.end(), uint8_t{0});
    const std::string path(rest.begin(), end);
    return path[0] == 0 && path.size() == 1 ? std::string() : path;
  }
  if ((family != AF_INET && family != AF_INET6) || rest.size() < 2) return {};
  const uint32_t port = uint32_t{rest[0]} << 8 | rest[1];
  return port == 0 ? std::string() : fmt::format("port {}", port);
}

}  // namespace twinrun
