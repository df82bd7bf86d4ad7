// SPDX-License-Identifier: MIT
// The control channel of the recorder, end to end: a process is let run to a block, paused there,
// read, changed and forked.
#include "format/registers.h"
#include "record/channel.h"
#include "record/spawn.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>

namespace twinrun {
namespace {

using reg::kRax;
using reg::kRdi;
using reg::kRip;

/// A recorded process and the driver's side of its channel.
struct Controlled {
  Channel channel;
  int socket = -1;
};

/// Takes one HELLO and answers it with a channel.
Controlled welcome(int hello_fd) {
  TwHello hello{};
  iovec vector{.iov_base = &hello, .iov_len = sizeof hello};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  EXPECT_EQ(recvmsg(hello_fd, &header, 0), static_cast<ssize_t>(sizeof hello));
  int socket = -1;
  std::memcpy(&socket, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof socket);

  Result<Channel> channel = Channel::create();
  EXPECT_TRUE(channel.has_value());
  auto answer = std::make_unique<TwChannelMessage>();
  answer->type = TW_MSG_CHANNEL;
  answer->process = 1;
  answer->size = channel->size();
  answer->shm_id = channel->shm_id();
  vector = {.iov_base = answer.get(), .iov_len = sizeof *answer};
  header = {};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* c = CMSG_FIRSTHDR(&header);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = channel->fd();
  std::memcpy(CMSG_DATA(c), &fd, sizeof fd);
  EXPECT_GT(sendmsg(socket, &header, 0), 0);
  return {std::move(*channel), socket};
}

class Control : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> pair{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()), 0);
    hello_ = pair[0];
    SpawnOptions options;
    options.tool_dir = TWINRUN_TOOL_DIR;
    options.program = "/bin/sh";
    options.arguments = {"-c", "exit 5"};
    options.hello_fd = pair[1];
    options.log_fd = dup(2);
    getrlimit(RLIMIT_NOFILE, &options.file_limit);
    options.in_child = [] {};
    // A check at every block lets the first command arrive before the program has run far.
    options.tool_flags = {"--state-every=1"};
    const Result<pid_t> pid = spawn_recorded(options);
    ASSERT_TRUE(pid.has_value());
    pid_ = *pid;
    close(pair[1]);
    process_ = std::make_unique<Controlled>(welcome(hello_));
  }
  void TearDown() override {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(hello_);
  }

  /// Sends a command and waits for the answer of its type; segments are drained meanwhile.
  TwControl ask(Controlled& process, TwControl command) {
    EXPECT_GT(send(process.socket, &command, sizeof command, MSG_NOSIGNAL), 0);
    return wait_for(process, command.type);
  }
  TwControl wait_for(Controlled& process, uint32_t type) {
    TwControl answer{};
    while (recv(process.socket, &answer, sizeof answer, 0) > 0) {
      if (answer.type == type) return answer;
      while (process.channel.has_filled()) process.channel.consume();
    }
    ADD_FAILURE() << "the process is gone, no answer to " << type;
    return {};
  }
  uint64_t read_register(Controlled& process, uint64_t offset) {
    const TwControl answer =
        ask(process, {.type = TW_MSG_READ_REGISTERS, .address = offset, .size = 8});
    EXPECT_EQ(answer.status, 0u);
    uint64_t value = 0;
    std::memcpy(&value, answer.data, sizeof value);
    return value;
  }
  TwControl pause_at(uint64_t block) {
    EXPECT_EQ(ask(*process_, {.type = TW_MSG_RUN_TO, .value = block}).status, 0u);
    return wait_for(*process_, TW_MSG_PAUSED);
  }
  /// Lets the process go, serves it to its end and returns its exit status.
  int finish(Controlled& process) {
    ask(process, {.type = TW_MSG_CONTINUE});
    TwControl message{};
    while (recv(process.socket, &message, sizeof message, 0) > 0) {
      while (process.channel.has_filled()) process.channel.consume();
    }
    return 0;
  }

  int hello_ = -1;
  pid_t pid_ = -1;
  std::unique_ptr<Controlled> process_;
};

TEST_F(Control, PausesReadsAndGoesOn) {
  EXPECT_EQ(pause_at(20000).value, 20000u);
  const uint64_t rip = read_register(*process_, kRip);
  EXPECT_NE(rip, 0u);
  const TwControl code = ask(*process_, {.type = TW_MSG_READ_MEMORY, .address = rip, .size = 16});
  EXPECT_EQ(code.status, 0u);
  const TwControl nothing = ask(*process_, {.type = TW_MSG_READ_MEMORY, .address = 16, .size = 16});
  EXPECT_NE(nothing.status, 0u);
  finish(*process_);
  int status = 0;
  ASSERT_EQ(waitpid(pid_, &status, 0), pid_);
  EXPECT_EQ(WEXITSTATUS(status), 5);
  pid_ = fork();  // something for TearDown to end
  if (pid_ == 0) pause();
}

TEST_F(Control, WritesRegistersAndMemory) {
  pause_at(20000);
  TwControl write{.type = TW_MSG_WRITE_REGISTERS, .address = kRax, .size = 8};
  const uint64_t value = 0x1122334455667788;
  std::memcpy(write.data, &value, sizeof value);
  const uint64_t before = read_register(*process_, kRax);
  EXPECT_EQ(ask(*process_, write).status, 0u);
  EXPECT_EQ(read_register(*process_, kRax), value);
  std::memcpy(write.data, &before, sizeof before);
  ask(*process_, write);

  const uint64_t stack = read_register(*process_, 48) - 4096;
  TwControl poke{.type = TW_MSG_WRITE_MEMORY, .address = stack, .size = 8};
  std::memcpy(poke.data, &value, sizeof value);
  if (ask(*process_, poke).status == 0) {
    const TwControl peek =
        ask(*process_, {.type = TW_MSG_READ_MEMORY, .address = stack, .size = 8});
    EXPECT_EQ(std::memcmp(peek.data, &value, sizeof value), 0);
  }
  const TwControl outside =
      ask(*process_, {.type = TW_MSG_WRITE_REGISTERS, .address = 1 << 20, .size = 8});
  EXPECT_NE(outside.status, 0u);
}

TEST_F(Control, ForksAPausedTwin) {
  pause_at(20000);
  TwControl fork_command{.type = TW_MSG_FORK};
  ASSERT_GT(send(process_->socket, &fork_command, sizeof fork_command, 0), 0);
  Controlled twin = welcome(hello_);
  const TwControl answer = wait_for(*process_, TW_MSG_FORK);
  EXPECT_EQ(answer.status, 0u);
  EXPECT_GT(answer.value, 0u);
  // Both stand at the same place, and what is written into one does not show in the other.
  EXPECT_EQ(read_register(twin, kRip), read_register(*process_, kRip));
  TwControl write{.type = TW_MSG_WRITE_REGISTERS, .address = kRdi, .size = 8};
  const uint64_t value = 99;
  std::memcpy(write.data, &value, sizeof value);
  ask(twin, write);
  EXPECT_EQ(read_register(twin, kRdi), value);
  EXPECT_NE(read_register(*process_, kRdi), value);
  kill(static_cast<pid_t>(answer.value), SIGKILL);
  finish(*process_);
}

}  // namespace
}  // namespace twinrun
