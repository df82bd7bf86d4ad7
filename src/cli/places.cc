// SPDX-License-Identifier: MIT
#include "cli/places.h"

#include <filesystem>

namespace twinrun {

Result<std::string> tool_directory() {
  std::error_code status;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", status);
  if (status) {
    return std::unexpected(
        Error{"C007", "cannot read /proc/self/exe: " + status.message(), "mount /proc", {}});
  }
  return (self.parent_path().parent_path() / "libexec" / "twinrun").string();
}

}  // namespace twinrun
