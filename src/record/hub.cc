// SPDX-License-Identifier: MIT
#include "record/hub.h"

#include "trace/event.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

namespace twinrun {
namespace {

constexpr uint64_t kHelloTag = 0;
constexpr uint32_t kRoot = 1;  // key of the first process
constexpr auto kDetachPatience = std::chrono::milliseconds(500);

uint64_t now_ns() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}

std::vector<RegisterName> register_names() {
  return {
#define REGISTER(name, Name, offset, size, cls, dwarf) {#name, offset, size},
#include "format/registers.def"
#undef REGISTER
  };
}

struct Packet {
  ssize_t size = -1;
  pid_t pid = 0;
  int fd = -1;
};

/// One packet with its sender's pid (in our namespace) and the descriptor that came with it.
Packet receive(int socket, void* data, size_t size) {
  iovec vector{.iov_base = data, .iov_len = size};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  Packet out;
  out.size = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (out.size < 0) return out;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET) continue;
    if (c->cmsg_type == SCM_CREDENTIALS) {
      ucred credentials{};
      std::memcpy(&credentials, CMSG_DATA(c), sizeof credentials);
      out.pid = credentials.pid;
    } else if (c->cmsg_type == SCM_RIGHTS) {
      std::memcpy(&out.fd, CMSG_DATA(c), sizeof out.fd);
    }
  }
  return out;
}

bool send_with_fd(int socket, const void* data, size_t size, int fd) {
  iovec vector{.iov_base = const_cast<void*>(data), .iov_len = size};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  if (fd >= 0) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(c), &fd, sizeof fd);
  }
  return sendmsg(socket, &header, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

bool is_dead(int pid_fd) {
  pollfd wait{.fd = pid_fd, .events = POLLIN, .revents = 0};
  return pid_fd < 0 || ::poll(&wait, 1, 0) > 0;
}

}  // namespace

Result<std::unique_ptr<Hub>> Hub::create(Writer& writer, std::string root_argv0) {
  std::unique_ptr<Hub> hub(new Hub(writer));
  hub->root_argv0_ = std::move(root_argv0);
  std::array<int, 2> pair{-1, -1};
  const int yes = 1;
  hub->epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  if (hub->epoll_fd_ < 0 ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0 ||
      setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) != 0) {
    return fail("R021", "cannot make a socket for the recorder: {}", std::strerror(errno));
  }
  hub->hello_fd_ = pair[0];
  hub->inherited_fd_ = pair[1];
  hub->watch(hub->hello_fd_, kHelloTag);
  return hub;
}

Hub::~Hub() {
  close_inherited();
  for (const auto& [number, process] : processes_) {
    if (process->socket >= 0) close(process->socket);
    if (process->pid_fd >= 0) close(process->pid_fd);
  }
  if (hello_fd_ >= 0) close(hello_fd_);
  if (epoll_fd_ >= 0) close(epoll_fd_);
}

void Hub::close_inherited() {
  if (inherited_fd_ >= 0) close(inherited_fd_);
  inherited_fd_ = -1;
}

void Hub::watch(int fd, uint64_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event);
}

void Hub::poll(int timeout_ms) {
  std::array<epoll_event, 64> ready;
  const int count = epoll_wait(epoll_fd_, ready.data(), ready.size(), timeout_ms);
  for (int i = 0; i < count; ++i) {
    const uint64_t tag = ready[i].data.u64;
    if (tag == kHelloTag) {
      take_hello();
      continue;
    }
    // The lower bit tells a process's pidfd from its socket.
    const auto found = processes_.find(static_cast<uint32_t>(tag >> 1));
    if (found == processes_.end()) continue;
    if ((tag & 1) != 0) {
      // It died after it had announced another program, which never said hello.
      if (found->second->became_other)
        end(*found->second);
      else
        epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, found->second->pid_fd, nullptr);
    } else {
      take_message(*found->second);
    }
  }
  if (writer_.stopped() && !detached_) detach_all();
}

void Hub::take_hello() {
  TwHello hello{};
  const Packet packet = receive(hello_fd_, &hello, sizeof hello);
  if (packet.size <= 0) {
    // Nobody holds the other end any more.
    if (packet.size == 0) epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, hello_fd_, nullptr);
    return;
  }
  if (packet.fd < 0) return;
  const bool understood =
      packet.size == sizeof hello && hello.type == TW_MSG_HELLO && hello.version == TW_VERSION;
  if (!understood || detached_ || writer_.stopped()) {
    close(packet.fd);  // it runs on unrecorded
    refused_ = true;
    return;
  }
  welcome(hello, packet.pid, packet.fd);
}

Hub::Process* Hub::before_exec(pid_t pid) {
  for (const auto& [number, process] : processes_) {
    if (process->pid == pid && process->exec_pending) return process.get();
  }
  return nullptr;
}

void Hub::welcome(const TwHello& hello, pid_t pid, int socket) {
  Result<Channel> channel = Channel::create();
  if (!channel) {
    warnings_.push_back(
        fmt::format("process {} is not recorded: {}", pid, channel.error().message));
    close(socket);
    return;
  }
  auto process = std::make_unique<Process>(Process{.channel = std::move(*channel)});
  process->key = static_cast<uint32_t>(numbers_.size()) + 1;
  numbers_.push_back(0);
  process->pid = pid;
  process->socket = socket;
  process->pid_fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));

  ProcessInfo& info = process->info;
  info.origin = hello.origin;
  info.pid = static_cast<uint32_t>(pid);
  info.parent_pid = hello.parent_pid;
  info.state_size = hello.state_size;
  info.registers = register_names();
  std::string argv0;
  if (hello.origin == TW_ORIGIN_FORK) {
    const bool is_known = hello.parent_process > 0 && hello.parent_process < process->key;
    info.parent = is_known ? numbers_[hello.parent_process - 1] : 0;
    info.inherited_blocks = hello.inherited_blocks;
    info.inherited_helpers = hello.inherited_helpers;
    info.parent_block = hello.parent_block;
    info.parent_thread = hello.thread;
    // What the child inherits is in segments that the parent handed over before the fork.
    if (const auto parent = processes_.find(hello.parent_process); parent != processes_.end()) {
      drain(*parent->second);
    }
  } else if (Process* before = before_exec(pid)) {
    info.parent = before->number;
    argv0 = before->argv0;
    if (!before->gone) process_gone(*before);
    before->end = {.how = EndKind::kExec, .time_ns = now_ns()};
    before->has_end = true;
    end(*before);
  } else if (process->key == kRoot) {
    argv0 = root_argv0_;
  }
  if (info.origin != TW_ORIGIN_LATE) begin(*process);

  TwChannelMessage answer{};
  answer.type = TW_MSG_CHANNEL;
  answer.process = process->key;
  answer.size = process->channel.size();
  answer.shm_id = process->channel.shm_id();
  argv0.copy(answer.argv0, sizeof answer.argv0 - 1);
  send_with_fd(socket, &answer, sizeof answer, process->channel.fd());
  process->channel.close_fd();
  watch(socket, uint64_t{process->key} << 1);
  if (process->pid_fd >= 0) watch(process->pid_fd, uint64_t{process->key} << 1 | 1);
  processes_.emplace(process->key, std::move(process));
}

/// From here on it is in the recording.
void Hub::begin(Process& process) {
  process.number = process.info.number = numbers_[process.key - 1] = ++last_number_;
  process.info.time_ns = now_ns();
  (void)writer_.begin_process(process.info);
}

void Hub::take_message(Process& process) {
  alignas(8) std::array<char, sizeof(TwExecMessage)> buffer;
  const Packet packet = receive(process.socket, buffer.data(), buffer.size());
  if (packet.fd >= 0) close(packet.fd);
  if (packet.size <= 0) {
    if (packet.size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    process_gone(process);
    return;
  }
  uint32_t type = 0;
  std::memcpy(&type, buffer.data(), sizeof type);
  if (type == TW_MSG_SEGMENT) {
    drain(process);
  } else if (type == TW_MSG_EXEC && packet.size == sizeof(TwExecMessage)) {
    const auto* message = reinterpret_cast<const TwExecMessage*>(buffer.data());
    process.exec_pending = true;
    process.argv0.assign(message->argv0, strnlen(message->argv0, sizeof message->argv0));
  }
}

void Hub::drain(Process& process) {
  while (process.channel.has_filled()) {
    pass_on(process, process.channel.oldest());
    process.channel.consume();
  }
}

void Hub::pass_on(Process& process, const Channel::Filled& filled) {
  if (process.number == 0) begin(process);
  // Failures are the writer's to remember: it stops by itself and says why.
  (void)writer_.segment(process.number, filled.slot, filled.streams);
  EventReader events(filled.streams[TW_STREAM_EVENTS]);
  for (Event event; events.next(event);) {
    ByteReader in(event.payload);
    switch (event.kind) {
      case EventKind::kExit:
        in.varint();
        process.end = {.how = EndKind::kExited, .status = static_cast<uint32_t>(in.varint())};
        process.has_end = true;
        break;
      case EventKind::kDeath:
        process.end = {.how = EndKind::kKilled, .status = static_cast<uint32_t>(in.varint())};
        process.has_end = true;
        break;
      case EventKind::kWarning: {
        const std::string code(in.string());
        const std::string text(in.string());
        const bool aloud = in.varint() != 0;
        const std::string line = fmt::format("[{}]: {}", code, text);
        bool said = false;
        for (const std::string& other : warnings_) said = said || other == line;
        if (aloud && !said) warnings_.push_back(line);
        (void)writer_.warning(process.number, code, text);
        break;
      }
      default: process.maps.apply(event, 0); break;
    }
  }
}

/// The process ended, became another program, or (detach_all) is let go.
void Hub::process_gone(Process& process) {
  if (process.gone) return;
  process.gone = true;
  drain(process);
  if (!process.channel.finished()) {
    if (const auto rest = process.channel.salvage()) pass_on(process, *rest);
  }
  epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, process.socket, nullptr);
  close(process.socket);
  process.socket = -1;
  if (process.exec_pending && !process.has_end && !process.cut && !is_dead(process.pid_fd)) {
    process.became_other = true;  // until it says hello, or dies
    return;
  }
  end(process);
}

/// Writes the end of a process and forgets it. The root's end is its parent's to tell.
void Hub::end(Process& process) {
  if (process.key == kRoot && process.number != 0 && !process.has_end && !process.cut) {
    // close_books() asks for it.
    process.became_other = false;
    if (process.pid_fd >= 0) epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, process.pid_fd, nullptr);
    return;
  }
  if (!process.has_end) {
    process.end.how = EndKind::kCut;
    process.end.note = process.cut            ? "still running when the recording ended"
                       : process.became_other ? "ran on as a program that is not recorded"
                                              : "killed before it could say how it ended";
  }
  process.end.time_ns = now_ns();
  if (process.number != 0) (void)writer_.end_process(process.number, process.end);
  for (const MappedFile& file : process.maps.files())
    if (file.executable) executable_files_.insert(file);
  if (process.pid_fd >= 0) close(process.pid_fd);
  processes_.erase(process.key);
}

std::vector<pid_t> Hub::live() const {
  std::vector<pid_t> out;
  for (const auto& [number, process] : processes_) {
    if (!process->gone || process->became_other) out.push_back(process->pid);
  }
  return out;
}

size_t Hub::recorded_live() const {
  return static_cast<size_t>(std::ranges::count_if(processes_, [](const auto& entry) {
    const Process& process = *entry.second;
    return process.number != 0 && (!process.gone || process.became_other);
  }));
}

void Hub::detach_all() {
  detached_ = true;
  const auto patience = std::chrono::steady_clock::now() + kDetachPatience;
  std::vector<uint32_t> keys;
  for (const auto& [key, process] : processes_) {
    if (!process->gone) keys.push_back(key);
  }
  for (const uint32_t key : keys) {
    Process& process = *processes_.at(key);
    drain(process);
    // A process in a system call hands over nothing before it returns; then its slot is at rest.
    while (process.number != 0 && !process.channel.finished() &&
           std::chrono::steady_clock::now() < patience) {
      process.channel.detach();
      drain(process);
      pollfd wait{.fd = process.socket, .events = POLLIN, .revents = 0};
      ::poll(&wait, 1, 5);
      if ((wait.revents & POLLHUP) != 0) break;
    }
    process.cut = !process.has_end && !is_dead(process.pid_fd);
    process_gone(process);
  }
}

void Hub::close_books() {
  detach_all();
  while (!processes_.empty()) {
    Process& process = *processes_.begin()->second;
    if (process.key == kRoot && !process.has_end && !process.cut) {
      process.end = root_end_;
      process.has_end = true;
    }
    process.gone = true;
    end(process);
  }
}

}  // namespace twinrun
