// SPDX-License-Identifier: MIT
#include "kernel/file_status.h"

#include "kernel/syscalls.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace twinrun {
namespace {

/// A member of what the call fills: bytes [begin, end).
struct Field {
  size_t begin;
  size_t end;
  std::string_view name;
};

#define FIELD(type, member, name) \
  Field { offsetof(type, member), offsetof(type, member) + sizeof(type::member), name }

using Stat = struct stat;
using Statx = struct statx;

// The kernel's structures on x86-64, which are those of the C library.
constexpr std::array kStat = {
    FIELD(Stat, st_dev, "the device"),
    FIELD(Stat, st_ino, "the inode"),
    FIELD(Stat, st_nlink, "the number of links"),
    FIELD(Stat, st_mode, "the type and mode"),
    FIELD(Stat, st_uid, "the owner"),
    FIELD(Stat, st_gid, "the group"),
    FIELD(Stat, st_size, kFileSize),
    FIELD(Stat, st_blksize, "the block size"),
    FIELD(Stat, st_blocks, "the number of blocks"),
    FIELD(Stat, st_atim, "the time of the last access"),
    FIELD(Stat, st_mtim, "the time of the last change"),
    FIELD(Stat, st_ctim, "the time of the last change of status"),
};
constexpr std::array kStatx = {
    FIELD(Statx, stx_blksize, "the block size"),
    FIELD(Statx, stx_nlink, "the number of links"),
    FIELD(Statx, stx_uid, "the owner"),
    FIELD(Statx, stx_gid, "the group"),
    FIELD(Statx, stx_mode, "the type and mode"),
    FIELD(Statx, stx_ino, "the inode"),
    FIELD(Statx, stx_size, kFileSize),
    FIELD(Statx, stx_blocks, "the number of blocks"),
    FIELD(Statx, stx_atime, "the time of the last access"),
    FIELD(Statx, stx_btime, "the time of creation"),
    FIELD(Statx, stx_ctime, "the time of the last change of status"),
    FIELD(Statx, stx_mtime, "the time of the last change"),
};
#undef FIELD

template <size_t kCount>
ToldOfFile field_at(const std::array<Field, kCount>& fields, uint64_t start, uint64_t address) {
  const uint64_t offset = address - start;
  const auto found = std::ranges::find_if(
      fields, [&](const Field& one) { return offset >= one.begin && offset < one.end; });
  if (found == fields.end()) return {};
  return {found->name, start + found->begin, start + found->end};
}

}  // namespace

ToldOfFile told_of_file(uint64_t call, const std::array<uint64_t, 6>& arguments,
                        std::optional<uint64_t> address) {
  if (!address) {
    if (call != sys::kLseek) return {};
    if (arguments[2] == SEEK_END && arguments[1] == 0) return {kFileSize};
    return {arguments[2] == SEEK_CUR ? "the position" : std::string_view()};
  }
  switch (call) {
    case sys::kStat:
    case sys::kFstat:
    case sys::kLstat: return field_at(kStat, arguments[1], *address);
    case sys::kNewfstatat: return field_at(kStat, arguments[2], *address);
    case sys::kStatx: return field_at(kStatx, arguments[4], *address);
    default: return {};
  }
}

std::optional<int64_t> asked_descriptor(uint64_t call, const std::array<uint64_t, 6>& arguments,
                                        std::string_view path) {
  const bool by_number = call == sys::kFstat || call == sys::kLseek ||
                         ((call == sys::kNewfstatat || call == sys::kStatx) && path.empty());
  return by_number ? std::optional(static_cast<int64_t>(arguments[0])) : std::nullopt;
}

}  // namespace twinrun
