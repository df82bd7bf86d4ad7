/* SPDX-License-Identifier: MIT */
/* TCP over loopback between threads, with poll, select, shutdown, scatter and gather. */
/* torture: flags=-pthread */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
static int port;
static void *client(void *arg) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = (in_port_t)port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int s = socket(AF_INET, SOCK_STREAM, 0);
  char reply[100] = "";
  connect(s, (struct sockaddr *)&a, sizeof a);
  struct iovec v[3] = {{"one ", 4}, {"two ", 4}, {arg, strlen(arg)}};
  writev(s, v, 3);
  shutdown(s, SHUT_WR);
  struct pollfd p = {.fd = s, .events = POLLIN};
  poll(&p, 1, 5000);
  recv(s, reply, 99, MSG_WAITALL);
  printf("reply: %s\n", reply);
  close(s);
  return NULL;
}
int main(void) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof a;
  int l = socket(AF_INET, SOCK_STREAM, 0);
  bind(l, (struct sockaddr *)&a, len);
  getsockname(l, (struct sockaddr *)&a, &len);
  port = a.sin_port;
  listen(l, 5);
  for (int i = 0; i < 5; i++) {
    pthread_t t;
    char text[20], buf[200] = "";
    snprintf(text, sizeof text, "three%d", i);
    pthread_create(&t, NULL, client, text);
    fd_set r;
    FD_ZERO(&r);
    FD_SET(l, &r);
    select(l + 1, &r, NULL, NULL, NULL);
    int s = accept(l, NULL, NULL);
    size_t n = 0;
    ssize_t k;
    while ((k = read(s, buf + n, 199 - n)) > 0) n += (size_t)k;
    for (size_t q = 0; q < n; q++) if (buf[q] >= 'a') buf[q] -= 32;
    send(s, buf, n, 0);
    close(s);
    pthread_join(t, NULL);
  }
}
