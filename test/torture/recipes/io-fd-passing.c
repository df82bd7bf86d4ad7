/* SPDX-License-Identifier: MIT */
/* Descriptors passed over a socket between processes, with credentials. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int s[2];
  union {
    struct cmsghdr h;
    char room[CMSG_SPACE(2 * sizeof(int))];
  } c;
  char byte = 'x';
  struct iovec iov = {&byte, 1};
  struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof c};
  socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
  if (fork() == 0) {
    int fd[2] = {open("passed.txt", O_RDWR | O_CREAT, 0644), open("/dev/null", O_RDONLY)};
    write(fd[0], "content\n", 8);
    c.h.cmsg_level = SOL_SOCKET;
    c.h.cmsg_type = SCM_RIGHTS;
    c.h.cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(&c.h), fd, sizeof fd);
    sendmsg(s[1], &m, 0);
    _exit(0);
  }
  recvmsg(s[0], &m, 0);
  wait(NULL);
  int got[2];
  memcpy(got, CMSG_DATA(&c.h), sizeof got);
  char buf[20] = "";
  pread(got[0], buf, 19, 0);
  printf("%c %s%zd\n", byte, buf, read(got[1], buf, 1));
}
