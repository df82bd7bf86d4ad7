// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "run/source_file.h"
#include "trace/reader.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace twinrun {

/// Where directories of sources are now: whoever built a program named them as they were then.
class SourceDirectories {
 public:
  /// Files below `from` are below `to`; of several that fit, the longest `from` counts.
  void add(std::string from, std::string to);
  /// Where the file is now.
  [[nodiscard]] FoundSource find(const std::string& file) const;

 private:
  std::vector<std::pair<std::string, std::string>> moved_;  // the longest first
};

/// The source files that an answer quotes: those that a recording was packed with, else as they are
/// on the disk now, where read_source() may read them.
class SourceText {
 public:
  SourceText() = default;
  explicit SourceText(SourceDirectories directories) : directories_(std::move(directories)) {}
  /// Files packed into the recording are taken from there. It must live as long as this does.
  void add_recording(const Reader& reader);

  /// Nothing when the file is not there. The view lives as long as this does.
  std::optional<std::string_view> contents(const std::string& file);
  /// Without white space around it; empty when the file is not there or has no such line.
  std::string_view line(const std::string& file, uint32_t number);

  /// Those of the files quoted so far that were changed after the recordings began, so that their
  /// lines may not be those that ran.
  [[nodiscard]] std::vector<std::string> changed() const;

 private:
  struct Text {
    bool is_there = false;
    bool is_newer = false;
    Bytes bytes;
    std::vector<size_t> lines;  // where each begins; made when the first one is asked for
  };
  Text& text(const std::string& file);
  std::optional<Bytes> packed(const std::string& file) const;

  SourceDirectories directories_;
  std::vector<const Reader*> recordings_;
  std::map<std::string, Text> texts_;
};

}  // namespace twinrun
