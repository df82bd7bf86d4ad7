// SPDX-License-Identifier: MIT
#include "run/binary_states.h"

#include "program/elf_symbols.h"

#include <sys/stat.h>

#include <cstdlib>
#include <string>

namespace twinrun {
namespace {

void add_state(ByteWriter& out, const std::string& path) {
  struct stat info{};
  const bool is_there = stat(path.c_str(), &info) == 0;
  out.string(path);
  out.varint(is_there ? 1 : 0);
  if (!is_there) return;
  for (const auto number :
       {static_cast<uint64_t>(info.st_dev), static_cast<uint64_t>(info.st_ino),
        static_cast<uint64_t>(info.st_size), static_cast<uint64_t>(info.st_mtim.tv_sec),
        static_cast<uint64_t>(info.st_mtim.tv_nsec)})
    out.varint(number);
}

}  // namespace

void add_binary_states(ByteWriter& out, const std::vector<MappedFile>& files,
                       const DebugDirectories& debug_directories) {
  const char* servers = std::getenv("DEBUGINFOD_URLS");  // NOLINT(concurrency-mt-unsafe): only read
  out.string(servers == nullptr ? "" : servers);
  for (const MappedFile& file : files) {
    add_state(out, file.path);
    // What servers have is the same for a build at all times, unless others are asked.
    add_state(out, find_debug_file({file.path, file.build_id, read_debug_link(file.path)},
                                   debug_directories, AskServers::kNo));
  }
}

}  // namespace twinrun
