// SPDX-License-Identifier: MIT
#include "kernel/descriptors.h"

#include "format/syscalls.h"

#include <sys/socket.h>

#include <algorithm>

namespace twinrun {
namespace {

bool tells_address(uint64_t call) {
  return call == sys::kBind || call == sys::kConnect || call == sys::kAccept ||
         call == sys::kAccept4 || call == sys::kGetsockname || call == sys::kGetpeername;
}

/// From the pieces of a call.
std::string address_of(const std::vector<std::pair<uint64_t, Bytes>>& pieces, uint64_t at) {
  Bytes out;
  for (const auto& [address, bytes] : pieces)
    if (address == at + out.size()) out.insert(out.end(), bytes.begin(), bytes.end());
  return socket_address(out);
}

}  // namespace

Descriptors::Descriptors(bool alone) {
  int64_t number = 0;
  for (const char* name : {"standard input", "standard output", "standard error"})
    files_[number++] = std::make_shared<File>(
        File{.name = name, .has_offset = alone, .end = {.kind = Endpoint::Kind::kOutside}});
}

Result<Descriptors> Descriptors::at_start(const Reader& reader, const Process& process) {
  const uint32_t own = process.info.number;
  const Process* parent = reader.process(process.info.parent);
  if (parent == nullptr || process.info.origin == TW_ORIGIN_ROOT || parent->info.number >= own) {
    Descriptors out(reader.processes().size() == 1);
    out.process_ = own;
    return out;
  }
  TRY(Descriptors out, at_start(reader, *parent));
  const bool forked = process.info.origin == TW_ORIGIN_FORK;
  for (const uint32_t frame : parent->segments) {
    const uint64_t first = reader.frames()[frame].segment.first_block;
    if (forked && first >= process.info.parent_block) break;
    TRY(const SegmentData data, reader.load(frame, stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    for (Event event; events.next(event);) {
      if (!forked || first + event.at < process.info.parent_block) out.apply(event);
    }
  }
  out.inherit(own);
  return out;
}

void Descriptors::inherit(uint32_t process) {
  calls_.clear();
  process_ = process;
  for (auto& [number, file] : files_) file->has_offset = false;
}

void Descriptors::found_open(const DescriptorEvent& found) {
  const auto kind_of = [&](std::string_view kind) {
    return found.path.starts_with(kind) && found.path.substr(kind.size()).starts_with(":[");
  };
  File file{.name = std::string(found.path),
            .offset = found.offset.value_or(0),
            .has_offset = found.offset.has_value()};
  for (const char* kind : {"pipe", "socket"}) {
    if (!kind_of(kind)) continue;
    file.name = kind;
    file.end.kind = Endpoint::Kind::kOutside;
  }
  // What a program has from its start has no other name in a whole recording either.
  if (const auto standard = files_.find(found.number); standard != files_.end()) {
    file.name = standard->second->name;
    file.end = standard->second->end;
  }
  files_[found.number] = std::make_shared<File>(std::move(file));
}

std::shared_ptr<Descriptors::File> Descriptors::make(int64_t descriptor, std::string name,
                                                     Endpoint::Kind kind) {
  auto& file = files_[descriptor];
  file = std::make_shared<File>(
      File{.name = std::move(name), .end = {.kind = kind, .process = process_, .number = ++made_}});
  return file;
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
        Call& call = calls_[e->thread];
        std::string& path = call.path;
        if (tells_address(call.event.number))
          call.addresses.emplace_back(e->address.value, Bytes(e->bytes.begin(), e->bytes.end()));
        if (path.empty()) path.assign(e->bytes.begin(), std::ranges::find(e->bytes, uint8_t{0}));
      }
      break;
    case EventCall::kWrites: {
      const auto e = MemoryEvent::parse(event);
      if (!e || !calls_.contains(e->thread)) break;
      Call& call = calls_[e->thread];
      const uint64_t number = call.event.number;
      if (tells_address(number))
        call.addresses.emplace_back(e->address.value, Bytes(e->bytes.begin(), e->bytes.end()));
      // The two numbers of a pipe.
      const bool is_socket = number == sys::kSocketpair;
      if (e->bytes.size() != 8 || (number != sys::kPipe && number != sys::kPipe2 && !is_socket))
        break;
      int32_t ends[2];
      std::memcpy(ends, e->bytes.data(), sizeof ends);
      for (const int32_t end : ends) {
        const auto file = make(end, is_socket ? "socket" : "pipe", Endpoint::Kind::kPair);
        file->end.type = is_socket ? call.event.arguments[1] : 0;
        if (end == ends[0]) continue;
        file->end.is_second = true;
        file->end.number = --made_;
      }
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
  finish_socket(call, result);
  if (result < 0) return;
  switch (call.event.number) {
    case sys::kOpen:
    case sys::kCreat:
    case sys::kOpenat:
      files_[result] = std::make_shared<File>(File{.name = call.path, .has_offset = true});
      break;
    case sys::kEventfd:
    case sys::kEventfd2:
    case sys::kTimerfdCreate:
    case sys::kSignalfd:
    case sys::kSignalfd4:
    case sys::kInotifyInit:
    case sys::kInotifyInit1:
    case sys::kMemfdCreate: files_.erase(result); break;
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

void Descriptors::finish_socket(const Call& call, int64_t result) {
  const auto found = files_.find(static_cast<int64_t>(call.event.arguments[0]));
  File* const file = found == files_.end() ? nullptr : found->second.get();
  const auto told = [&] { return address_of(call.addresses, call.event.arguments[1]); };
  switch (call.event.number) {
    case sys::kSocket:
      if (result < 0) break;
      make(result, "socket", Endpoint::Kind::kSocket)->end.family = call.event.arguments[0];
      files_[result]->end.type = call.event.arguments[1];
      break;
    case sys::kAccept:
    case sys::kAccept4: {
      if (result < 0) break;
      const Endpoint from = file == nullptr ? Endpoint{} : file->end;
      Endpoint& end = make(result, "socket", from.kind)->end;
      end.family = from.family;
      end.type = from.type;
      end.local = from.local;
      end.remote = told();
      break;
    }
    case sys::kConnect:
      // Also when it is only under way.
      if (file != nullptr) file->end.remote = told();
      break;
    case sys::kGetpeername:
      if (file != nullptr && result >= 0) file->end.remote = told();
      break;
    case sys::kBind:
    case sys::kGetsockname:
      if (file != nullptr && result >= 0) file->end.local = told();
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
                     event.number == sys::kRecvfrom || event.number == sys::kRecvmsg ||
                     event.number == sys::kRecvmmsg;
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
