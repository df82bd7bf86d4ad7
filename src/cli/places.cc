// SPDX-License-Identifier: MIT
#include "cli/places.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

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

Result<std::string> find_in_path(const std::string& program) {
  const char* variable = std::getenv("PATH");
  std::string_view path = variable != nullptr ? variable : "/usr/bin:/bin";
  while (true) {
    const size_t colon = path.find(':');
    std::string file(path.substr(0, colon));
    if (!file.empty()) file += '/';
    file += program;
    if (access(file.c_str(), X_OK) == 0) return file;
    if (colon == std::string_view::npos) break;
    path.remove_prefix(colon + 1);
  }
  return fail("C008", "{} is not in PATH", program);
}

}  // namespace twinrun
