// SPDX-License-Identifier: MIT
#include "cli/store.h"

#include "base/suggest.h"
#include "base/text.h"
#include "format/trace_format.h"
#include "record/record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

namespace twinrun {
namespace fs = std::filesystem;
namespace {

constexpr size_t kLongestName = 200;  // with both suffixes and a number still below NAME_MAX

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(kRecordingSuffix) ||
         name.ends_with(std::string(kRecordingSuffix) + std::string(kPartialSuffix));
}

bool is_good_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  if (name[0] == '.' || name[0] == '-' || name[0] == '@') return false;
  return std::ranges::none_of(
      name, [](char c) { return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// The start time in the header of a recording; nothing when the file is none of ours.
std::optional<int64_t> start_time_ns(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  TwFileHeader header{};
  const bool whole = pread(fd, &header, sizeof header, 0) == sizeof header;
  close(fd);
  const bool ours = std::memcmp(header.magic, TW_FILE_MAGIC, sizeof header.magic) == 0;
  const auto time = static_cast<int64_t>(header.start_time_ns);
  if (!whole || !ours || time < 0) return std::nullopt;
  return time;
}

std::optional<StoreEntry> entry_at(const fs::path& path) {
  std::string name = path.filename().string();
  const bool partial = name.ends_with(kPartialSuffix);
  if (partial) name.resize(name.size() - kPartialSuffix.size());
  if (!name.ends_with(kRecordingSuffix)) return std::nullopt;
  name.resize(name.size() - kRecordingSuffix.size());
  struct stat info{};
  if (name.empty() || stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const int64_t written = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
  return StoreEntry{.name = std::move(name),
                    .path = path.string(),
                    .size = static_cast<uint64_t>(info.st_size),
                    .time_ns = start_time_ns(path.string()).value_or(written),
                    .partial = partial,
                    .recording = partial && is_being_written(path.string())};
}

Result<std::string> resolve_shorthand(std::string_view name) {
  TRY(const std::vector<StoreEntry> entries, list_recordings());
  size_t finished = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (shorthand(entries, i) == name) return entries[i].path;
    if (!entries[i].recording) ++finished;
  }
  const std::string_view digits = name.substr(1);
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::unexpected(Error{"S003",
                                 fmt::format("'{}' is no recording", name),
                                 "'@' is the newest recording, '@1' the one before",
                                 {}});
  }
  return std::unexpected(
      Error{"S003",
            fmt::format("there is no recording {}: the store holds {}", name, finished),
            "twinrun ls lists the recordings",
            {}});
}

Result<std::string> make_store() {
  TRY(std::string directory, store_directory());
  // Parents with 0700 as the XDG specification asks for.
  for (size_t slash = 1; slash != std::string::npos;) {
    slash = directory.find('/', slash + 1);
    const std::string part = directory.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return std::unexpected(
          Error{"S002",
                fmt::format("cannot make directory {}: {}", part, std::strerror(errno)),
                "set XDG_DATA_HOME to a writable directory, or name the file: -o ./NAME.twin",
                {}});
    }
  }
  return directory;
}

std::string default_base_name(std::string_view program) {
  std::string base(base_name(program));
  base.resize(std::min<size_t>(base.size(), 60));
  for (char& c : base) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '+' || c == '-';
    if (!plain) c = '_';
  }
  if (base.empty()) return "run";
  if (base[0] == '.' || base[0] == '-') base[0] = '_';
  return base;
}

uint64_t next_number(const std::vector<StoreEntry>& entries, std::string_view base) {
  uint64_t highest = 0;
  for (const StoreEntry& entry : entries) {
    std::string_view rest = entry.name;
    if (!rest.starts_with(base)) continue;
    rest.remove_prefix(base.size());
    if (!rest.starts_with('-')) continue;
    rest.remove_prefix(1);
    uint64_t number = 0;
    const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (status == std::errc() && end == rest.data() + rest.size()) {
      highest = std::max(highest, number);
    }
  }
  return highest + 1;
}

}  // namespace

bool is_being_written(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) return false;
  const bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return locked;
}

Result<std::string> store_directory() {
  // The XDG specification has relative paths ignored.
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && data[0] == '/') {
    return std::string(data) + "/twinrun";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') {
    return std::string(home) + "/.local/share/twinrun";
  }
  return std::unexpected(Error{"S001",
                               "neither XDG_DATA_HOME nor HOME is an absolute path",
                               "set one of them, or name the file: -o ./NAME.twin",
                               {}});
}

Result<std::vector<StoreEntry>> list_recordings() {
  TRY(const std::string directory, store_directory());
  std::vector<StoreEntry> entries;
  std::error_code status;
  fs::directory_iterator files(directory, status);
  if (status) {
    if (status == std::errc::no_such_file_or_directory) return entries;
    return std::unexpected(
        Error{"S002", fmt::format("cannot read {}: {}", directory, status.message()), {}, {}});
  }
  for (; files != fs::directory_iterator(); files.increment(status)) {
    if (status) break;
    if (auto entry = entry_at(files->path())) entries.push_back(std::move(*entry));
  }
  std::ranges::sort(entries, [](const StoreEntry& a, const StoreEntry& b) {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.path < b.path;
  });
  return entries;
}

std::string shorthand(const std::vector<StoreEntry>& entries, size_t index) {
  if (entries[index].recording) return "";
  size_t newer = 0;
  for (size_t i = 0; i < index; ++i) newer += entries[i].recording ? 0 : 1;
  return newer == 0 ? "@" : fmt::format("@{}", newer);
}

bool looks_like_recording(const std::string& path) { return start_time_ns(path).has_value(); }

Result<std::string> resolve_recording(std::string_view name) {
  if (name.starts_with('@')) return resolve_shorthand(name);
  if (is_path(name)) {
    std::string path(name);
    if (access(path.c_str(), F_OK) == 0) return path;
    const int why = errno;
    if (why == ENOENT && access((path + std::string(kPartialSuffix)).c_str(), F_OK) == 0) {
      return path + std::string(kPartialSuffix);
    }
    return std::unexpected(
        Error{"S003", fmt::format("cannot open {}: {}", name, std::strerror(why)), {}, {}});
  }
  TRY(const std::vector<StoreEntry> entries, list_recordings());
  const StoreEntry* found = nullptr;
  std::vector<std::string> names;
  for (const StoreEntry& entry : entries) {
    names.push_back(entry.name);
    if (entry.name == name && (found == nullptr || !entry.partial)) found = &entry;
  }
  if (found != nullptr) return found->path;
  std::string help = did_you_mean(name, names);
  if (help.empty() && access(std::string(name).c_str(), F_OK) == 0) {
    help = fmt::format("write ./{} for the file in this directory", name);
  }
  if (help.empty()) help = "twinrun ls lists the recordings";
  return std::unexpected(
      Error{"S003", fmt::format("there is no recording '{}'", name), std::move(help), {}});
}

Result<OutputPlace> choose_output(std::string_view wanted, std::string_view program, bool force) {
  OutputPlace place;
  if (wanted.empty()) {
    TRY(const std::string directory, make_store());
    TRY(const std::vector<StoreEntry> entries, list_recordings());
    const std::string base = default_base_name(program);
    place.name = fmt::format("{}-{}", base, next_number(entries, base));
    place.path = fmt::format("{}/{}{}", directory, place.name, kRecordingSuffix);
    place.chosen = true;
    return place;
  }
  place.name = wanted;
  if (is_path(wanted)) {
    place.path = wanted;
    if (place.path.ends_with(kPartialSuffix)) {
      return std::unexpected(Error{"S004",
                                   fmt::format("'{}' is kept for unfinished recordings", wanted),
                                   "end the name in .twin",
                                   {}});
    }
  } else {
    if (!is_good_name(wanted)) {
      return std::unexpected(
          Error{"S004",
                fmt::format("'{}' is no name for a recording", wanted),
                "names start with no '.', '-' or '@' and have at most 200 characters",
                {}});
    }
    TRY(const std::string directory, make_store());
    place.path = fmt::format("{}/{}{}", directory, wanted, kRecordingSuffix);
  }
  struct stat info{};
  if (stat(place.path.c_str(), &info) == 0 && (!force || !S_ISREG(info.st_mode))) {
    if (!S_ISREG(info.st_mode)) {
      return std::unexpected(
          Error{"S005", fmt::format("{} exists and is no regular file", place.path), {}, {}});
    }
    return std::unexpected(Error{std::string(kErrorOutputExists),
                                 fmt::format("recording '{}' exists already", wanted),
                                 "--force replaces it",
                                 {}});
  }
  const std::string partial = place.path + std::string(kPartialSuffix);
  if (stat(partial.c_str(), &info) == 0) {
    if (is_being_written(partial)) {
      return std::unexpected(
          Error{"S005",
                fmt::format("recording '{}' is being written by another twinrun", wanted),
                {},
                {}});
    }
    if (!force) {
      return std::unexpected(Error{std::string(kErrorOutputExists),
                                   fmt::format("a partial recording '{}' exists already", wanted),
                                   "--force replaces it",
                                   {}});
    }
  }
  return place;
}

}  // namespace twinrun
