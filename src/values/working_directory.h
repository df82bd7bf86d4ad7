// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/event.h"
#include "trace/reader.h"
#include "values/values.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace twinrun {

/// A path that a process gave to a system call.
struct GivenPath {
  uint32_t process = 0;
  BlockAt block;         // ends with the call
  uint32_t pointer = 0;  // the register that had its address
  uint64_t address = 0;
  std::string text;
};

/// Who said what relative paths of a process mean: followed through chdir, fchdir, and the
/// processes that it came from.
class WorkingDirectory {
 public:
  /// As it is when the call behind that block is made.
  static Result<WorkingDirectory> at(const Reader& reader, const Process& process, BlockAt block);

  /// What changed it last; nothing: it is that in which the recording began.
  [[nodiscard]] const std::optional<GivenPath>& changed() const { return changed_; }
  /// The same, when the file was opened by a relative path that this descriptor means.
  [[nodiscard]] std::optional<GivenPath> changed_for(int64_t descriptor) const;

 private:
  struct Opened {
    GivenPath path;
    std::optional<GivenPath> changed;
  };
  void finish(const SyscallEvent& call, const GivenPath& path, int64_t result);
  Result<void> pass(const Reader& reader, const Process& process, uint64_t before_block);

  std::optional<GivenPath> changed_;
  std::map<int64_t, Opened> opened_;
};

/// Whether it depends on the working directory.
inline bool is_relative(const std::string& path) { return !path.empty() && path[0] != '/'; }

}  // namespace twinrun
