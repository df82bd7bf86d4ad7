// SPDX-License-Identifier: MIT
#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace twinrun {
namespace {

constexpr uint64_t kMostBytes = 1ull << 30;

Result<Bytes> read_all(int fd, const std::string& path) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<uint64_t>(status.st_size) > kMostBytes)
    return fail("P002", "cannot read {}: not a regular file, or larger than 1 GiB", path);
  Bytes out(static_cast<size_t>(status.st_size));
  for (size_t done = 0; done < out.size();) {
    const ssize_t n = read(fd, out.data() + done, out.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail("P002", "cannot read {} to its end", path);
    done += static_cast<size_t>(n);
  }
  return out;
}

}  // namespace

Result<Bytes> read_file(const std::string& path) {
  // A device or pipe of this name must neither block nor become the terminal.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return fail("P002", "cannot open {}: {}", path, std::strerror(errno));  // NOLINT
  auto out = read_all(fd, path);
  close(fd);
  return out;
}

}  // namespace twinrun
