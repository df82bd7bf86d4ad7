# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the kernel writes beside the data is told too: the length of the control messages that came.
needs_recorder
cat >rights.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

int main(int argc, char** argv) {
  int fds[2];
  socketpair(AF_UNIX, SOCK_DGRAM, 0, fds);
  char text[] = "a", room[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec iov = {text, 1};
  struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};
  if (argc > 1 && strcmp(argv[1], "with") == 0) {
    h.msg_control = room;
    h.msg_controllen = sizeof room;
    struct cmsghdr* c = CMSG_FIRSTHDR(&h);
    *c = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
  }
  sendmsg(fds[0], &h, 0);
  char answer[64];
  struct msghdr got = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = answer, .msg_controllen = sizeof answer};
  recvmsg(fds[1], &got, 0);
  if (got.msg_controllen == 0) {
    puts("no descriptor came");
    return 1;
  }
  puts("a descriptor came");
  return 0;
}
C
gcc -g -O0 -o rights rights.c
"$TWINRUN" record -q -o with -- ./rights with >/dev/null
not "$TWINRUN" record -q -o without -- ./rights without >/dev/null
not "$TWINRUN" why with without >out
has out "got.msg_controllen = 24 | 0"
"$TWINRUN" verify with >/dev/null
"$TWINRUN" verify without >/dev/null
