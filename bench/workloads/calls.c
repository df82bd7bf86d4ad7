// SPDX-License-Identifier: MIT
// calls KIND TIMES: one system call, again and again.
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int fds[2], zero, null, pipes[2];
static char buffer[4096];

static void call(const char* kind) {
  struct sockaddr_storage name;
  socklen_t size = sizeof name;
  struct iovec iov = {buffer, sizeof buffer};
  struct stat status;
  struct timespec now;
  struct pollfd polled = {pipes[0], POLLIN, 0};
  char control[64];
  int number;
  if (!strcmp(kind, "getppid")) syscall(SYS_getppid);
  if (!strcmp(kind, "read")) syscall(SYS_read, zero, buffer, 64);
  if (!strcmp(kind, "write")) syscall(SYS_write, null, buffer, 64);
  if (!strcmp(kind, "stat")) syscall(SYS_stat, "/", &status);
  if (!strcmp(kind, "clock")) syscall(SYS_clock_gettime, 1, &now);
  if (!strcmp(kind, "poll")) syscall(SYS_poll, &polled, 1, 0);
  if (!strcmp(kind, "name")) getsockname(fds[0], (struct sockaddr*)&name, &size);
  if (!strcmp(kind, "fcntl")) fcntl(zero, F_GETFL);
  if (!strcmp(kind, "ioctl")) ioctl(pipes[0], FIONREAD, &number);
  if (!strcmp(kind, "unknown")) ioctl(zero, _IOR('T', 250, int), &number);
  if (!strcmp(kind, "mmap")) munmap(mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8192);
  if (!strcmp(kind, "limit")) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  if (!strcmp(kind, "message")) {
    struct msghdr sent = {.msg_iov = &(struct iovec){buffer, 8}, .msg_iovlen = 1};
    struct msghdr got = {.msg_name = &name, .msg_namelen = size, .msg_iov = &iov, .msg_iovlen = 1,
                         .msg_control = control, .msg_controllen = sizeof control};
    sendmsg(fds[0], &sent, 0);
    recvmsg(fds[1], &got, 0);
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  zero = open("/dev/zero", O_RDONLY);
  null = open("/dev/null", O_WRONLY);
  if (pipe(pipes) != 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) != 0) return 1;
  const int times = atoi(argv[2]);
  if (!strcmp(argv[1], "vfork")) { // a process is as much as hundreds of calls
    for (int i = times / 400; i > 0; i--) {
      const pid_t child = vfork();
      if (child == 0) _exit(0);
      waitpid(child, NULL, 0);
    }
  }
  for (int i = times; i > 0; i--) call(argv[1]);
  return 0;
}
