/* SPDX-License-Identifier: MIT */
/* Unix sockets of all three kinds, credentials, peers and abstract names. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
int main(void) {
  for (int kind = 0; kind < 3; kind++) {
    int type = kind == 0 ? SOCK_STREAM : kind == 1 ? SOCK_DGRAM : SOCK_SEQPACKET, pair[2];
    socketpair(AF_UNIX, type, 0, pair);
    send(pair[0], "first", 5, 0);
    send(pair[0], "second", 6, 0);
    char buffer[20] = "";
    long n = recv(pair[1], buffer, 19, 0);
    printf("%ld %s\n", n, buffer);
    struct ucred who;
    socklen_t size = sizeof who;
    getsockopt(pair[1], SOL_SOCKET, SO_PEERCRED, &who, &size);
    printf("%u %d\n", size, who.pid == getpid());
  }
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"}, peer;
  int s = socket(AF_UNIX, SOCK_STREAM, 0), c = socket(AF_UNIX, SOCK_STREAM, 0);
  bind(s, (struct sockaddr *)&name, sizeof name);
  listen(s, 1);
  connect(c, (struct sockaddr *)&name, sizeof name);
  socklen_t size = sizeof peer;
  int a = accept4(s, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK);
  printf("%u\n", size);
  int on = 1;
  setsockopt(a, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  send(c, "hello", 5, 0);
  char data[10] = "", control[200];
  struct iovec v = {data, 9};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  long n = recvmsg(a, &m, 0);
  struct cmsghdr *first = CMSG_FIRSTHDR(&m);
  printf("%ld %s %zu %d\n", n, data, (size_t)m.msg_controllen, first != NULL && first->cmsg_type == SCM_CREDENTIALS);
  size = sizeof peer;
  getpeername(c, (struct sockaddr *)&peer, &size);
  printf("%u %s\n", size, peer.sun_path);
  unlink("socket");
}
