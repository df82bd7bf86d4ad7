// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>

namespace twinrun {

/// Files that keep what was found out about modules from one command to the next: FlowFacts by
/// build id. No more than a shortcut: what is not there, damaged, or of another version or code is
/// made anew, and a directory that cannot be written stores nothing. Several processes may use it
/// at once.
class ModuleCache {
 public:
  /// Identifies what a file belongs to: a binary, and what was known of it when it was made.
  struct Key {
    Bytes build_id;
    uint64_t contents = 0;  // hash of all that the facts are made of
  };
  static constexpr uint64_t kMostBytes = 256ull << 20;

  /// Stores nothing.
  ModuleCache() = default;
  explicit ModuleCache(std::string directory, uint64_t most_bytes = kMostBytes)
      : directory_(std::move(directory)), most_bytes_(most_bytes) {}
  /// $XDG_CACHE_HOME/twinrun, else ~/.cache/twinrun; one that stores nothing with
  /// TWINRUN_CACHE=off, or without either.
  static ModuleCache of_user();

  [[nodiscard]] bool is_on() const { return !directory_.empty(); }
  /// Nothing when there is none, and for binaries without a build id.
  [[nodiscard]] std::optional<Bytes> load(const Key& key) const;
  /// Then removes the files that were not used for longest while all have more than the limit.
  void store(const Key& key, ByteSpan payload) const;
  /// The file of a key; empty when it has none.
  [[nodiscard]] std::string path(const Key& key) const;

 private:
  void shrink() const;

  std::string directory_;
  uint64_t most_bytes_ = kMostBytes;
};

}  // namespace twinrun
