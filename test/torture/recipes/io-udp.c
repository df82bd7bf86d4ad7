/* SPDX-License-Identifier: MIT */
/* UDP over loopback: sendto, recvfrom, recvmmsg, sendmmsg, MSG_PEEK and MSG_TRUNC. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
int main(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, from;
  socklen_t size = sizeof at;
  int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
  bind(in, (struct sockaddr *)&at, size);
  getsockname(in, (struct sockaddr *)&at, &size);
  sendto(out, "a long datagram", 15, 0, (struct sockaddr *)&at, size);
  char buffer[8] = "";
  printf("%ld\n", (long)recv(in, buffer, 7, MSG_PEEK | MSG_TRUNC));
  size = sizeof from;
  printf("%ld %.7s", (long)recvfrom(in, buffer, 7, 0, (struct sockaddr *)&from, &size), buffer);
  printf(" %u %s\n", size, inet_ntoa(from.sin_addr));
  connect(out, (struct sockaddr *)&at, sizeof at);
  struct iovec v[3] = {{"one", 3}, {"three", 5}, {"", 0}};
  struct mmsghdr m[3] = {0};
  for (int i = 0; i < 3; i++) m[i].msg_hdr.msg_iov = &v[i], m[i].msg_hdr.msg_iovlen = 1;
  int sent = sendmmsg(out, m, 3, 0);
  printf("%d", sent);
  for (int i = 0; i < sent; i++) printf(" %u", m[i].msg_len);
  char got[3][10] = {"", "", ""};
  struct iovec w[3];
  memset(m, 0, sizeof m);
  for (int i = 0; i < 3; i++) w[i] = (struct iovec){got[i], 9}, m[i].msg_hdr.msg_iov = &w[i], m[i].msg_hdr.msg_iovlen = 1;
  int n = recvmmsg(in, m, 3, MSG_WAITFORONE, NULL);
  printf("; %d", n);
  for (int i = 0; i < n; i++) printf(" %u %s", m[i].msg_len, got[i]);
  printf("\n");
}
