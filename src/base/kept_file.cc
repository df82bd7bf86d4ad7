// SPDX-License-Identifier: MIT
#include "base/kept_file.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace twinrun {

bool write_kept(const std::string& path, ByteSpan bytes) {
  const std::string temporary = fmt::format("{}.{}", path, ::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool written = true;
  for (ByteSpan left = bytes; written && !left.empty();) {
    const ssize_t size = ::write(fd, left.data(), left.size());
    written = size > 0 || (size < 0 && errno == EINTR);
    if (size > 0) left = left.subspan(static_cast<size_t>(size));
  }
  const bool closed = ::close(fd) == 0;
  if (written && closed && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
  const int why = errno;
  ::unlink(temporary.c_str());
  errno = why;
  return false;
}

}  // namespace twinrun
