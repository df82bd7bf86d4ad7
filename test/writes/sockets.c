// SPDX-License-Identifier: MIT
// Sockets, their names, options and messages, and network devices.
#include "calls.h"

#include <linux/ethtool.h>
#include <linux/filter.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

/// A connected pair by the loopback device: the client, and what accepts it, listening.
static int listening(struct sockaddr_in* name) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  *name = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof *name;
  if (bind(fd, (struct sockaddr*)name, size) != 0 || listen(fd, 4) != 0) abort();
  getsockname(fd, (struct sockaddr*)name, &size);
  return fd;
}
static int client(const struct sockaddr_in* name) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (const struct sockaddr*)name, sizeof *name) != 0) abort();
  return fd;
}

CASE(accepting) {
  struct sockaddr_in name;
  const int server = listening(&name);
  int fds[4];
  for (int i = 0; i < 4; i++) fds[i] = client(&name);
  U32(0) = 64;
  close(CALL(accept, server, m + 100, m));
  U32(8) = 7;  // too little room
  close(CALL(accept, server, m + 200, m + 8));
  U32(16) = 64;
  close(CALL(accept4, server, m + 300, m + 16, SOCK_CLOEXEC));
  close(CALL(accept4, server, 0, 0, 0));
  for (int i = 0; i < 4; i++) close(fds[i]);
  close(server);
}
CASE(names_of_sockets) {
  struct sockaddr_in name;
  const int server = listening(&name);
  const int fd = client(&name);
  U32(0) = 128;
  CALL(getsockname, fd, m + 100, m);
  U32(8) = 128;
  CALL(getpeername, fd, m + 300, m + 8);
  U32(16) = 3;
  CALL(getsockname, fd, m + 500, m + 16);
  U32(24) = 0;
  CALL(getpeername, fd, m + 600, m + 24);
  const int unnamed = CALL(socket, AF_UNIX, SOCK_STREAM, 0);
  U32(32) = 128;
  CALL(getsockname, unnamed, m + 700, m + 32);
  struct sockaddr_un* path = (struct sockaddr_un*)(m + 2048);
  path->sun_family = AF_UNIX;
  strcpy(path->sun_path, "socket");
  unlink("socket");
  CALL(bind, unnamed, path, sizeof *path);
  CALL(listen, unnamed, 2);
  U32(40) = 128;
  CALL(getsockname, unnamed, m + 900, m + 40);
  const int second = socket(AF_UNIX, SOCK_STREAM, 0);
  CALL(connect, second, path, sizeof *path);
  U32(48) = 128;
  close(CALL(accept, unnamed, m + 1100, m + 48));
  CALL(shutdown, second, 2);
  close(second);
  close(unnamed);
  unlink("socket");
  close(fd);
  close(server);
}
CASE(pairs) {
  CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, m);
  close(U32(0));
  close(U32(4));
}
CASE(receiving) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof name;
  if (bind(fd, (struct sockaddr*)&name, size) != 0) abort();
  getsockname(fd, (struct sockaddr*)&name, &size);
  memcpy(m, &name, sizeof name);
  for (int i = 0; i < 3; i++) CALL(sendto, fd, "twenty bytes of text", 20, 0, m, sizeof name);
  U32(100) = 64;
  CALL(recvfrom, fd, m + 200, 100, 0, m + 400, m + 100);
  U32(108) = 5;
  CALL(recvfrom, fd, m + 600, 8, MSG_TRUNC, m + 800, m + 108);
  CALL(recvfrom, fd, m + 1000, 100, 0, 0, 0);
  syscall(SYS_recvfrom, fd, m + 1200, 100, MSG_DONTWAIT, m + 1400, m + 100);
  int stream[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, stream) != 0) abort();
  if (write(stream[0], "abc", 3) != 3) abort();
  U32(116) = 64;
  CALL(recvfrom, stream[1], m + 1600, 100, 0, m + 1800, m + 116);
  close(stream[0]);
  close(stream[1]);
  close(fd);
}

static struct msghdr* message(unsigned char* at, unsigned char* m, unsigned char* name, int name_size, unsigned char* control,
                              int control_size) {
  struct msghdr* h = (struct msghdr*)at;
  memset(h, 0, sizeof *h);
  h->msg_name = name;
  h->msg_namelen = name_size;
  h->msg_iov = (struct iovec*)m;
  h->msg_iovlen = 2;
  h->msg_control = control;
  h->msg_controllen = control_size;
  h->msg_flags = 0x7777;
  struct iovec* v = h->msg_iov;
  v[0] = (struct iovec){m + 64, 5};
  v[1] = (struct iovec){m + 128, 200};
  return h;
}

CASE(messages) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) != 0) abort();
  const int on = 1;
  setsockopt(fds[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  // Descriptors, and who sent them.
  memcpy(m, "0123456789", 10);
  struct msghdr* h = (struct msghdr*)(m + 4096);
  memset(h, 0, sizeof *h);
  struct iovec* v = (struct iovec*)(m + 4200);
  *v = (struct iovec){m, 10};
  h->msg_iov = v;
  h->msg_iovlen = 1;
  h->msg_control = m + 4300;
  h->msg_controllen = CMSG_SPACE(8);
  struct cmsghdr* c = CMSG_FIRSTHDR(h);
  *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(8), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  ((int*)CMSG_DATA(c))[0] = 0;
  ((int*)CMSG_DATA(c))[1] = 1;
  CALL(sendmsg, fds[0], h, 0);
  CALL(sendmsg, fds[0], h, 0);
  h->msg_controllen = 0;
  CALL(sendmsg, fds[0], h, 0);
  CALL(recvmsg, fds[1], message(m + 6000, m + 6100, m + 6500, 110, m + 6700, 256), 0);
  CALL(recvmsg, fds[1], message(m + 7000, m + 7100, m + 7500, 1, m + 7700, 40), 0);
  CALL(recvmsg, fds[1], message(m + 8000, m + 8100, NULL, 33, NULL, 0), 0);
  close(fds[0]);
  close(fds[1]);
}
CASE(many_messages) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof name;
  if (bind(fd, (struct sockaddr*)&name, size) != 0) abort();
  getsockname(fd, (struct sockaddr*)&name, &size);
  memcpy(m, &name, sizeof name);
  for (int i = 0; i < 3; i++) {
    memset(m + 2048 + 512 * i, 'a' + i, 512);
    message(m + 1024 + 64 * i, m + 2048 + 512 * i, m, sizeof name, NULL, 0);
    U32(1024 + 64 * i + 56) = 0x9999;
  }
  CALL(sendmmsg, fd, m + 1024, 3, 0);
  for (int i = 0; i < 4; i++) {
    message(m + 8192 + 64 * i, m + 9216 + 512 * i, m + 12288 + 128 * i, i == 1 ? 6 : 128, m + 13312 + 128 * i, 64);
    U32(8192 + 64 * i + 56) = 0x9999;
  }
  U64(200) = 5;
  U64(208) = 17;
  CALL(recvmmsg, fd, m + 8192, 4, MSG_WAITFORONE, m + 200);
  close(fd);
}
/// One thread waits in its call while the other makes calls of the same kind.
struct waiting {
  int fd;
  unsigned char* m;
};
static void* wait_for_it(void* of) {
  const struct waiting* w = of;
  unsigned char* m = w->m;
  U32(0) = 100;
  CALL(recvfrom, w->fd, m + 64, 100, 0, m + 256, m);
  return NULL;
}
CASE(waiting_thread) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof name;
  if (bind(fd, (struct sockaddr*)&name, size) != 0) abort();
  getsockname(fd, (struct sockaddr*)&name, &size);
  struct waiting w = {fd, m};
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_it, &w);
  usleep(30000);
  U32(1024) = 5;
  CALL(getsockname, fd, m + 1100, m + 1024);
  if (sendto(fd, "late", 4, 0, (struct sockaddr*)&name, sizeof name) != 4) abort();
  pthread_join(thread, NULL);
  close(fd);
}
/// A call that a signal interrupts, and that begins anew behind the handler.
static int restart_to;
static struct sockaddr_in restart_name;
static void send_it(int signal) {
  (void)signal;
  if (sendto(restart_to, "again", 5, 0, (struct sockaddr*)&restart_name, sizeof restart_name) != 5) abort();
}
CASE(restarted) {
  restart_to = socket(AF_INET, SOCK_DGRAM, 0);
  restart_name = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof restart_name;
  if (bind(restart_to, (struct sockaddr*)&restart_name, size) != 0) abort();
  getsockname(restart_to, (struct sockaddr*)&restart_name, &size);
  struct sigaction action = {.sa_handler = send_it, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  ualarm(20000, 0);
  U32(0) = 100;
  CALL(recvfrom, restart_to, m + 64, 100, 0, m + 256, m);
  signal(SIGALRM, SIG_DFL);
  close(restart_to);
}
CASE(options) {
  struct sockaddr_in name;
  const int server = listening(&name);
  const int fd = client(&name);
  static const struct {
    int level, name;
  } options[] = {{SOL_SOCKET, SO_TYPE},     {SOL_SOCKET, SO_LINGER},   {SOL_SOCKET, SO_RCVBUF}, {SOL_SOCKET, SO_RCVTIMEO},
                 {SOL_SOCKET, SO_PEERCRED}, {IPPROTO_TCP, TCP_INFO},   {IPPROTO_TCP, TCP_CONGESTION},
                 {IPPROTO_TCP, TCP_MAXSEG}, {SOL_SOCKET, SO_BINDTODEVICE}, {IPPROTO_IP, IP_OPTIONS}};
  for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
    U32(16 * i) = 256;
    CALL(getsockopt, fd, options[i].level, options[i].name, m + 1024 + 512 * i, m + 16 * i);
  }
  U32(400) = 2;  // too little room
  CALL(getsockopt, fd, SOL_SOCKET, SO_TYPE, m + 8192, m + 400);
  struct sock_filter code[4] = {{0x28, 0, 0, 12}, {0x15, 0, 1, 0x800}, {6, 0, 0, 0xffff}, {6, 0, 0, 0}};
  struct sock_fprog program = {4, code};
  memcpy(m + 9000, &program, sizeof program);
  CALL(setsockopt, fd, SOL_SOCKET, SO_ATTACH_FILTER, m + 9000, sizeof program);
  U32(416) = 10;
  CALL(getsockopt, fd, SOL_SOCKET, SO_GET_FILTER, m + 10000, m + 416);
  U32(432) = 0;
  CALL(getsockopt, fd, SOL_SOCKET, SO_GET_FILTER, m + 11000, m + 432);
  int pair[2];
  const gid_t groups[2] = {7, 8};
  syscall(SYS_setgroups, 2, groups);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) abort();
  U32(448) = 4;
  syscall(SYS_getsockopt, pair[0], SOL_SOCKET, 59 /* SO_PEERGROUPS */, m + 12000, m + 448);
  close(pair[0]);
  close(pair[1]);
  close(fd);
  close(server);
}
CASE(socket_ioctls) {
  struct sockaddr_in name;
  const int server = listening(&name);
  const int fd = client(&name);
  const int other = accept(server, NULL, NULL);
  if (write(other, "12345", 5) != 5) abort();
  CALL(ioctl, fd, FIONREAD, m);
  CALL(ioctl, fd, SIOCOUTQ, m + 16);
  CALL(ioctl, fd, SIOCOUTQNSD, m + 32);
  CALL(ioctl, fd, SIOCATMARK, m + 48);
  CALL(ioctl, fd, SIOCGPGRP, m + 64);
  CALL(ioctl, fd, FIOGETOWN, m + 80);
  close(other);
  close(fd);
  close(server);
  const int udp = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof self;
  if (bind(udp, (struct sockaddr*)&self, size) != 0) abort();
  getsockname(udp, (struct sockaddr*)&self, &size);
  syscall(SYS_ioctl, udp, SIOCGSTAMP_OLD, m + 96);
  sendto(udp, "x", 1, 0, (struct sockaddr*)&self, sizeof self);
  char byte;
  recv(udp, &byte, 1, 0);
  CALL(ioctl, udp, SIOCGSTAMP_OLD, m + 112);
  CALL(ioctl, udp, SIOCGSTAMPNS_OLD, m + 144);
  CALL(ioctl, udp, SIOCGSTAMP, m + 176);
  close(udp);
}
CASE(devices) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  U32(0) = 400;
  U64(8) = P(1024);
  CALL(ioctl, fd, SIOCGIFCONF, m);
  U32(16) = 0;
  U64(24) = 0;
  CALL(ioctl, fd, SIOCGIFCONF, m + 16);
  static const unsigned long gets[] = {SIOCGIFFLAGS, SIOCGIFADDR,   SIOCGIFDSTADDR, SIOCGIFBRDADDR, SIOCGIFNETMASK, SIOCGIFMETRIC,
                                       SIOCGIFMTU,   SIOCGIFHWADDR, SIOCGIFINDEX,   SIOCGIFTXQLEN,  SIOCGIFMAP};
  for (unsigned i = 0; i < sizeof gets / sizeof gets[0]; i++) {
    strcpy((char*)m + 2048 + 64 * i, "lo");
    CALL(ioctl, fd, gets[i], m + 2048 + 64 * i);
  }
  U32(4096 + 16) = 1;
  CALL(ioctl, fd, SIOCGIFNAME, m + 4096);
  // Behind a pointer in its argument, and far from that.
  strcpy((char*)m + 5000, "lo");
  U64(5000 + 16) = P(12000);
  U32(12000) = ETHTOOL_GSTRINGS;
  U32(12004) = ETH_SS_FEATURES;
  CALL(ioctl, fd, SIOCETHTOOL, m + 5000);
  struct arpreq* arp = (struct arpreq*)(m + 8192);
  memset(arp, 0, sizeof *arp);
  FILE* table = fopen("/proc/net/arp", "r");
  char line[200], address[100], device[100];
  if (table && fgets(line, sizeof line, table) && fgets(line, sizeof line, table) &&
      sscanf(line, "%99s %*s %*s %*s %*s %99s", address, device) == 2) {
    struct sockaddr_in* in = (struct sockaddr_in*)&arp->arp_pa;
    in->sin_family = AF_INET;
    unsigned a, b, c, d;
    sscanf(address, "%u.%u.%u.%u", &a, &b, &c, &d);
    in->sin_addr.s_addr = htonl(a << 24 | b << 16 | c << 8 | d);
    strncpy(arp->arp_dev, device, sizeof arp->arp_dev - 1);
  }
  CALL(ioctl, fd, SIOCGARP, arp);
  if (table) fclose(table);
  close(fd);
  const int tunnel = open("/dev/net/tun", O_RDWR);
  if (tunnel < 0) return;
  memset(m + 9000, 0, 40);
  U16(9000 + 16) = IFF_TUN | IFF_NO_PI;
  CALL(ioctl, tunnel, TUNSETIFF, m + 9000);
  CALL(ioctl, tunnel, TUNGETIFF, m + 9100);
  CALL(ioctl, tunnel, TUNGETFEATURES, m + 9200);
  close(tunnel);
}
