// SPDX-License-Identifier: MIT
#include "explain/inputs/read_files.h"

#include "kernel/descriptors.h"
#include "kernel/syscalls.h"
#include "trace/event.h"

#include <fcntl.h>

#include <algorithm>
#include <map>
#include <optional>

namespace twinrun {
namespace {

constexpr uint64_t kContentsMost = 64 << 20;  // of a file

/// A file that is opened like this has no contents, or none yet.
bool makes_file(uint64_t flags) {
  constexpr uint64_t kTmpfile = O_TMPFILE & ~static_cast<uint64_t>(O_DIRECTORY);
  const bool is_new = (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0;
  return is_new || (flags & O_TRUNC) != 0 || (flags & kTmpfile) != 0;
}

class ReadFiles {
 public:
  explicit ReadFiles(bool is_alone) : descriptors_(is_alone) {}

  void take(const Event& event) {
    // Where a read takes from must be asked before the descriptor moves on.
    if (event.kind == EventKind::kSyscall) begin(event);
    if (event.kind == EventKind::kRead) note_path(event);
    if (event.kind == EventKind::kWritten) note_bytes(event);
    if (event.kind == EventKind::kSyscallResult) finish(event);
    descriptors_.apply(event);
  }

  std::vector<ReadFile> files;

 private:
  struct Opening {
    bool is_open = false;
    bool makes = false;  // the file anew
    std::string path;
    uint64_t brought = 0;  // bytes that the call has written so far
  };

  ReadFile& file(const std::string& path) {
    const auto [known, is_new] = numbers_.try_emplace(path, files.size());
    if (is_new) files.push_back({.path = path, .contents = {}, .error = {}});
    return files[known->second];
  }

  void begin(const Event& event) {
    const auto call = SyscallEvent::parse(event);
    if (!call) return;
    const bool opens = call->number == sys::kOpen || call->number == sys::kOpenat;
    const uint64_t flags = call->arguments[call->number == sys::kOpen ? 1 : 2];
    calls_[call->thread] = {.is_open = opens, .makes = opens && makes_file(flags), .path = {}};
  }

  void note_path(const Event& event) {
    const auto memory = MemoryEvent::parse(event);
    const auto call = memory ? calls_.find(memory->thread) : calls_.end();
    if (call == calls_.end() || !call->second.is_open || !call->second.path.empty()) return;
    call->second.path.assign(memory->bytes.begin(), std::ranges::find(memory->bytes, uint8_t{0}));
  }

  void note_bytes(const Event& event) {
    const auto memory = MemoryEvent::parse(event);
    if (!memory || memory->part != TW_PART_SYSCALL) return;
    const auto source = descriptors_.source(memory->thread);
    const uint64_t skip = std::exchange(calls_[memory->thread].brought,
                                        calls_[memory->thread].brought + memory->bytes.size());
    if (!source || !source->offset || source->name.empty()) return;
    std::string& contents = file(source->name).contents;
    const uint64_t at = *source->offset + skip;
    if (at > contents.size() || at + memory->bytes.size() > kContentsMost) return;
    file(source->name).is_at_end = false;
    contents.resize(std::max<size_t>(contents.size(), at + memory->bytes.size()));
    std::ranges::copy(memory->bytes, contents.begin() + static_cast<ptrdiff_t>(at));
  }

  /// A read that brought nothing.
  void note_end(uint32_t thread) {
    const auto source = descriptors_.source(thread);
    if (!source || !source->offset || source->name.empty()) return;
    ReadFile& read = file(source->name);
    if (*source->offset == read.contents.size()) read.is_at_end = true;
  }

  void finish(const Event& event) {
    const auto result = SyscallResultEvent::parse(event);
    if (result && result->result == 0) note_end(result->thread);
    const auto call = result ? calls_.find(result->thread) : calls_.end();
    if (call == calls_.end() || !call->second.is_open || call->second.path.empty()) return;
    ReadFile& opened = file(call->second.path);
    const std::string error = error_name(result->result);
    if (error.empty()) {
      opened.is_opened = true;
      opened.is_made = opened.is_made || (call->second.makes && opened.contents.empty());
      opened.error.clear();
    } else if (!opened.is_opened) {
      opened.error = error;
    }
    call->second.is_open = false;
  }

  Descriptors descriptors_;
  std::map<uint32_t, Opening> calls_;      // by thread
  std::map<std::string, size_t> numbers_;  // by path
};

}  // namespace

Result<std::vector<ReadFile>> read_files(const Reader& reader, const Process& process) {
  ReadFiles out(reader.processes().size() == 1);
  for (const uint32_t segment : process.segments) {
    TRY(const SegmentData data, reader.load(segment, stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    for (Event event; events.next(event);) out.take(event);
  }
  return std::move(out.files);
}

}  // namespace twinrun
