// SPDX-License-Identifier: MIT
// A file is a header (magic with the version, key, length and hash of what follows) and the
// payload. It is written under a temporary name and renamed, so whoever opens a name sees a whole
// file; two writers of one key write the same bytes. The hash covers the header, too: every changed
// bit shows.
//
// A file's modification time says when it was last used. Removing by it races with other processes,
// and that is all right: what is gone is made again.
#include "program/module_cache.h"

#include "base/files.h"
#include "program/elf_symbols.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

namespace twinrun {
namespace {

// The digit is the version: of this layout, of FlowFacts, and of what exploring finds out.
constexpr std::string_view kMagic = "twinrun1";
constexpr std::string_view kSuffix = ".flow1";
constexpr std::string_view kTemporary = ".tmp";
constexpr size_t kShortestId = 4;
constexpr size_t kLongestId = 64;

Bytes wrap(const ModuleCache::Key& key, ByteSpan payload) {
  ByteWriter out;
  out.raw({reinterpret_cast<const uint8_t*>(kMagic.data()), kMagic.size()});
  out.fixed(key.contents);
  out.varint(key.build_id.size());
  out.raw(key.build_id);
  out.fixed<uint64_t>(payload.size());
  out.raw(payload);
  const uint64_t hash = XXH3_64bits(out.bytes().data(), out.bytes().size());
  out.fixed(hash);
  return out.take();
}

std::optional<Bytes> unwrap(const ModuleCache::Key& key, ByteSpan file) {
  if (file.size() < sizeof(uint64_t)) return std::nullopt;
  const ByteSpan hashed = file.first(file.size() - sizeof(uint64_t));
  ByteReader end(file.subspan(hashed.size()));
  if (end.fixed<uint64_t>() != XXH3_64bits(hashed.data(), hashed.size())) return std::nullopt;
  ByteReader in(hashed);
  if (!std::ranges::equal(in.take(kMagic.size()), kMagic)) return std::nullopt;
  if (in.fixed<uint64_t>() != key.contents) return std::nullopt;
  if (!std::ranges::equal(in.take(in.varint()), key.build_id)) return std::nullopt;
  const ByteSpan payload = in.take(in.fixed<uint64_t>());
  if (in.failed() || !in.at_end()) return std::nullopt;
  return Bytes(payload.begin(), payload.end());
}

bool write_all(int fd, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing changes it
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

ModuleCache ModuleCache::of_user() {
  if (environment("TWINRUN_CACHE") == "off") return {};
  // As the XDG specification wants it, a relative path is none.
  if (const auto cache = environment("XDG_CACHE_HOME"); cache.starts_with('/'))
    return ModuleCache(fmt::format("{}/twinrun", cache));
  if (const auto home = environment("HOME"); home.starts_with('/'))
    return ModuleCache(fmt::format("{}/.cache/twinrun", home));
  return {};
}

std::string ModuleCache::path(const Key& key) const {
  const size_t size = key.build_id.size();
  if (!is_on() || size < kShortestId || size > kLongestId) return {};
  return fmt::format("{}/{}-{:016x}{}", directory_, hex(key.build_id), key.contents, kSuffix);
}

std::optional<Bytes> ModuleCache::load(const Key& key) const {
  const std::string name = path(key);
  if (name.empty()) return std::nullopt;
  // Others could have made the file, where the directory is not the user's alone.
  struct stat status;
  if (lstat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      static_cast<uint64_t>(status.st_size) > most_bytes_)
    return std::nullopt;
  const auto file = read_file(name);
  if (!file) return std::nullopt;
  auto out = unwrap(key, *file);
  if (out) utimensat(AT_FDCWD, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return out;
}

void ModuleCache::store(const Key& key, ByteSpan payload) const {
  const std::string name = path(key);
  if (name.empty()) return;
  std::error_code ignored;
  const std::filesystem::path directory(directory_);
  std::filesystem::create_directories(directory.parent_path(), ignored);
  mkdir(directory_.c_str(), S_IRWXU);
  std::string temporary = fmt::format("{}.XXXXXX{}", name, kTemporary);
  const int fd = mkostemps(temporary.data(), static_cast<int>(kTemporary.size()), O_CLOEXEC);
  if (fd < 0) return;
  const bool is_whole = write_all(fd, wrap(key, payload));
  if (close(fd) != 0 || !is_whole || rename(temporary.c_str(), name.c_str()) != 0)
    unlink(temporary.c_str());
  shrink();
}

void ModuleCache::shrink() const {
  struct Stored {
    std::filesystem::file_time_type used;
    std::string path;
    uint64_t size = 0;
  };
  std::vector<Stored> files;
  uint64_t total = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory_, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().string();
    // What a killed process left counts as well, and goes when its time comes.
    if (!name.contains(".flow")) continue;
    std::error_code gone;
    Stored file{it->last_write_time(gone), name, 0};
    if (!gone) file.size = it->file_size(gone);
    if (gone) continue;
    total += file.size;
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, [](const Stored& a, const Stored& b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  for (const Stored& file : files) {
    if (total <= most_bytes_) break;
    if (unlink(file.path.c_str()) == 0) total -= file.size;
  }
}

}  // namespace twinrun
