// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace twinrun {

/// Lines of source files, as they are on the disk now.
class SourceText {
 public:
  /// Without white space around it; empty when the file is not there or has no such line.
  std::string line(const std::string& file, uint32_t number);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace twinrun
