// SPDX-License-Identifier: MIT
#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace twinrun {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

Error output_exists(const std::string& path) {
  return {"S009", fmt::format("{} exists already", path), "--force replaces it", {}};
}

}  // namespace

Result<void> OutputFile::check(const std::string& path, bool force) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return {};
  if (!S_ISREG(info.st_mode)) return fail("S005", "{} exists and is no regular file", path);
  if (!force) return std::unexpected(output_exists(path));
  return {};
}

Result<void> OutputFile::trouble() const {
  return fail("S010", "cannot write {}: {}", path_, std::strerror(reason_));  // NOLINT
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, bool force) {
  std::unique_ptr<OutputFile> out(new OutputFile(path, force));
  std::string temporary = path + ".XXXXXX";
  out->fd_ = mkostemp(temporary.data(), O_CLOEXEC);
  if (out->fd_ < 0) {
    out->reason_ = errno;
    return std::unexpected(out->trouble().error());
  }
  out->temporary_ = std::move(temporary);
  return out;
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
  for (size_t done = 0; done < buffer_.size() && reason_ == 0;) {
    const ssize_t n = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (n > 0) done += static_cast<size_t>(n);
    if (n == 0) reason_ = EIO;
    if (n < 0 && errno != EINTR) reason_ = errno;
  }
  buffer_.clear();
}

Result<void> OutputFile::finish() {
  flush();
  if (close(std::exchange(fd_, -1)) != 0 && reason_ == 0) reason_ = errno;
  if (reason_ != 0) return trouble();
  // Somebody may have made the file since it was looked for.
  int status =
      force_ ? -1
             : renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE);
  if (status != 0 && !force_ && errno == EEXIST) return std::unexpected(output_exists(path_));
  // Not all file systems know that call.
  if (status != 0) status = rename(temporary_.c_str(), path_.c_str());
  if (status != 0) {
    reason_ = errno;
    return trouble();
  }
  temporary_.clear();
  return {};
}

}  // namespace twinrun
