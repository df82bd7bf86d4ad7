// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace twinrun {

/// A file that is written for the user. Nobody sees it half-written: it gets its name when it is
/// complete. Like a recording it can hold what the program read, so that only its owner may read
/// it.
class OutputFile {
 public:
  /// Before the work: S009 when the file exists and is not to be replaced, S005 when it is none.
  static Result<void> check(const std::string& path, bool force);

  /// S010 when it cannot be written.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path, bool force);
  /// Removes what is not complete.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Trouble is told by finish().
  void write(std::string_view text);
  /// Gives the file its name.
  Result<void> finish();

 private:
  OutputFile(std::string path, bool force) : path_(std::move(path)), force_(force) {}
  Result<void> trouble() const;
  void flush();

  std::string path_;
  bool force_;
  std::string temporary_;
  int fd_ = -1;
  int reason_ = 0;  // errno of what failed first
  std::string buffer_;
};

}  // namespace twinrun
