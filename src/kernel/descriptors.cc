// SPDX-License-Identifier: MIT
#include "kernel/descriptors.h"

#include "format/syscalls.h"

#include <algorithm>

namespace twinrun {
Descriptors::Descriptors(bool alone) {
  int64_t number = 0;
  for (const char* name : {"standard input", "standard output", "standard error"})
    files_[number++] = std::make_shared<File>(File{.name = name, .has_offset = alone});
}

void Descriptors::inherit() {
  calls_.clear();
  for (auto& [number, file] : files_) file->has_offset = false;
}

void Descriptors::found_open(const DescriptorEvent& found) {
  const auto kind_of = [&](std::string_view kind) {
    return found.path.starts_with(kind) && found.path.substr(kind.size()).starts_with(":[");
  };
  File file{.name = std::string(found.path),
            .offset = found.offset.value_or(0),
            .has_offset = found.offset.has_value()};
  for (const char* kind : {"pipe", "socket"})
    if (kind_of(kind)) file.name = kind;
  // What a program has from its start has no other name in a whole recording either.
  if (const auto standard = files_.find(found.number); standard != files_.end())
    file.name = standard->second->name;
  files_[found.number] = std::make_shared<File>(std::move(file));
}

void Descriptors::apply(const Event& event) {
  if (event.kind == EventKind::kDescriptor) {
    if (const auto found = DescriptorEvent::parse(event)) found_open(*found);
    return;
  }
  switch (traits_of(event.kind).call) {
    case EventCall::kNone: break;
    case EventCall::kBegins:
      if (const auto e = SyscallEvent::parse(event)) calls_[e->thread] = {*e, {}};
      break;
    case EventCall::kReads:
      if (const auto e = MemoryEvent::parse(event); e && calls_.contains(e->thread)) {
        std::string& path = calls_[e->thread].path;
        if (path.empty()) path.assign(e->bytes.begin(), std::ranges::find(e->bytes, uint8_t{0}));
      }
      break;
    case EventCall::kWrites: {
      // The two numbers of a pipe.
      const auto e = MemoryEvent::parse(event);
      if (!e || e->bytes.size() != 8 || !calls_.contains(e->thread)) break;
      const uint64_t number = calls_[e->thread].event.number;
      if (number != sys::kPipe && number != sys::kPipe2) break;
      int32_t ends[2];
      std::memcpy(ends, e->bytes.data(), sizeof ends);
      for (const int32_t end : ends) files_[end] = std::make_shared<File>(File{.name = "pipe"});
      break;
    }
    case EventCall::kEnds:
      if (const auto e = SyscallResultEvent::parse(event)) {
        const auto call = calls_.find(e->thread);
        if (call == calls_.end() || call->second.event.number != e->number) break;
        finish(call->second, static_cast<int64_t>(e->result));
        calls_.erase(call);
      }
      break;
  }
}

void Descriptors::finish(const Call& call, int64_t result) {
  const auto argument = [&](size_t i) { return static_cast<int64_t>(call.event.arguments[i]); };
  if (result < 0) return;
  switch (call.event.number) {
    case sys::kOpen:
    case sys::kCreat:
    case sys::kOpenat:
      files_[result] = std::make_shared<File>(File{.name = call.path, .has_offset = true});
      break;
    case sys::kSocket:
    case sys::kAccept:
    case sys::kAccept4: files_[result] = std::make_shared<File>(File{.name = "socket"}); break;
    case sys::kClose: files_.erase(argument(0)); break;
    case sys::kDup:
    case sys::kDup2:
    case sys::kDup3:
      if (const auto from = files_.find(argument(0)); from != files_.end())
        files_[result] = from->second;
      else
        files_.erase(result);
      break;
    case sys::kFcntl:
      // F_DUPFD and F_DUPFD_CLOEXEC.
      if (argument(1) == 0 || argument(1) == 1030) {
        if (const auto from = files_.find(argument(0)); from != files_.end())
          files_[result] = from->second;
      }
      break;
    case sys::kLseek:
      if (const auto file = files_.find(argument(0)); file != files_.end())
        file->second->offset = static_cast<uint64_t>(result);
      break;
    case sys::kRead:
    case sys::kReadv:
      if (const auto file = files_.find(argument(0)); file != files_.end())
        file->second->offset += static_cast<uint64_t>(result);
      break;
    default: break;
  }
}

std::optional<Descriptors::Source> Descriptors::source(uint32_t thread) const {
  const auto call = calls_.find(thread);
  if (call == calls_.end()) return std::nullopt;
  const SyscallEvent& event = call->second.event;
  const bool at_offset = event.number == sys::kPread64 || event.number == sys::kPreadv;
  const bool reads = at_offset || event.number == sys::kRead || event.number == sys::kReadv ||
                     event.number == sys::kRecvfrom;
  if (!reads) return std::nullopt;
  Source out{.descriptor = static_cast<int64_t>(event.arguments[0])};
  const auto file = files_.find(out.descriptor);
  if (file != files_.end()) out.name = file->second->name;
  if (at_offset)
    out.offset = event.arguments[3];
  else if (file != files_.end() && file->second->has_offset)
    out.offset = file->second->offset;
  return out;
}

}  // namespace twinrun
