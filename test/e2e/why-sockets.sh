# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What was received from a socket leads to who sent it: every kind of socket, every call, both directions told apart.
needs_recorder
cat >chat.c <<'C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int rule(int c) {
  return c == 'b' ? 'Y' : 'N';
}
static void give(int fd, const char *how, char *text, size_t size, struct sockaddr *to, socklen_t length) {
  struct iovec parts[2] = {{text, 2}, {text + 2, size - 2}};
  struct msghdr message = {.msg_name = to, .msg_namelen = length, .msg_iov = parts, .msg_iovlen = 2};
  struct mmsghdr messages[1] = {{.msg_hdr = message}};
  if (!strcmp(how, "write")) write(fd, text, size);
  if (!strcmp(how, "writev")) writev(fd, parts, 2);
  if (!strcmp(how, "send")) send(fd, text, size, 0);
  if (!strcmp(how, "sendto")) sendto(fd, text, size, 0, to, length);
  if (!strcmp(how, "sendmsg")) sendmsg(fd, &message, 0);
  if (!strcmp(how, "sendmmsg")) sendmmsg(fd, messages, 1, 0);
}
static ssize_t take(int fd, const char *how, char *text, size_t size) {
  struct sockaddr_storage from;
  socklen_t length = sizeof from;
  struct iovec parts[2] = {{text, 3}, {text + 3, size - 3}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  struct mmsghdr messages[1] = {{.msg_hdr = message}};
  if (!strcmp(how, "read")) return read(fd, text, size);
  if (!strcmp(how, "readv")) return readv(fd, parts, 2);
  if (!strcmp(how, "recv")) return recv(fd, text, size, 0);
  if (!strcmp(how, "recvfrom")) return recvfrom(fd, text, size, 0, (struct sockaddr *)&from, &length);
  if (!strcmp(how, "recvmsg")) return recvmsg(fd, &message, 0);
  if (!strcmp(how, "recvmmsg")) { recvmmsg(fd, messages, 1, 0, 0); return messages[0].msg_len; }
  return -1;
}
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  int c = getc(in);
  fclose(in);
  const char *kind = argv[2], *sends = argv[3], *takes = argv[4];
  int ends[2], ready[2], listener = -1;
  struct sockaddr_un named = {.sun_family = AF_UNIX, .sun_path = "chat.socket"};
  struct sockaddr_in inet = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr *to = NULL;
  socklen_t length = 0;
  unlink("chat.socket");
  if (!strcmp(kind, "stream")) socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  if (!strcmp(kind, "dgram")) socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
  if (!strcmp(kind, "seqpacket")) socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
  if (!strcmp(kind, "named") || !strcmp(kind, "tcp")) {
    int un = kind[0] == 'n';
    listener = socket(un ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    bind(listener, un ? (void *)&named : &inet, un ? sizeof named : sizeof inet);
    listen(listener, 5);
    length = sizeof inet;
    if (!un) getsockname(listener, (void *)&inet, &length);
  }
  if (!strcmp(kind, "udp")) {
    ends[0] = socket(AF_INET, SOCK_DGRAM, 0);
    bind(ends[0], (void *)&inet, sizeof inet);
    length = sizeof inet;
    getsockname(ends[0], (void *)&inet, &length);
    to = (void *)&inet;
  }
  char text[64] = "", answer[64] = "";
  pid_t pid = fork();
  if (pid == 0) {
    if (listener >= 0) {
      int un = kind[0] == 'n';
      ends[1] = socket(un ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
      connect(ends[1], un ? (void *)&named : &inet, un ? sizeof named : sizeof inet);
    }
    if (!strcmp(kind, "udp")) {
      ends[1] = socket(AF_INET, SOCK_DGRAM, 0);
      if (strcmp(sends, "sendto") && strcmp(sends, "sendmsg") && strcmp(sends, "sendmmsg")) {
        connect(ends[1], to, length);
        to = NULL;
      }
    } else {
      length = 0;
    }
      sprintf(text, "answer %c\n", rule(c));
    give(ends[1], sends, text, strlen(text) - (rule(c) == 'Y' && argv[5]), to, length);
    _exit(0);
  }
  if (listener >= 0) ends[0] = accept(listener, NULL, NULL);
  if (to == NULL && argv[5] == NULL) give(ends[0], "write", "answer ?\n", 9, NULL, 0);
  ssize_t got = take(ends[0], takes, answer, sizeof answer);
  if (argv[5]) printf("%zd\n", got);
  else printf("%.*s", (int)got, answer);
  waitpid(pid, NULL, 0);
  return 0;
}
C
echo a >a.txt
echo b >b.txt
# explains BYTE ARGUMENT...: the answer's byte leads to the rule in the process that sent it.
explains() {
  local byte=$1
  shift
  status 1 twinrun why --output "1:$byte" "./chat a.txt $*" "./chat b.txt $*" >out 2>log
  has out "They differ because b.txt, line 1, column 1 has" \
    "return c == 'b' ? 'Y' : 'N'"
}
cc -g -O0 -w -o chat chat.c
explains 7 stream write read
explains 7 seqpacket sendto recvfrom
explains 7 tcp sendmmsg recvmmsg
# How much came.
explains 0 udp sendto recvmmsg c
if ! is_sanitized; then
  explains 7 named sendmsg recvmsg
  explains 7 udp send recv
  explains 0 dgram send recv c
  cc -g -O2 -w -o chat chat.c
  explains 7 dgram writev readv
  explains 7 udp sendmmsg recvfrom
  explains 0 tcp sendmsg recvmsg c
fi

# One process by itself, and two connections with the same words: only one of them has the answer.
cat >two.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static int c;
static int ends[2][2];
__attribute__((noinline)) static char other(int d) {
  return d == 'z' ? 'N' : 'Y';
}
__attribute__((noinline)) static char rule(int d) {
  return d == 'b' ? 'Y' : 'N';
}
static void *answer(void *at) {
  char asked[8], said = at ? other(c) : rule(c);
  int fd = ends[at != NULL][1];
  read(fd, asked, 1);
  write(fd, &said, 1);
  return NULL;
}
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  c = getc(in);
  fclose(in);
  pthread_t threads[2];
  char got[2];
  for (int i = 0; i < 2; i++) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]);
    write(ends[i][0], "Y", 1);
    if (argv[2][0] == 't') pthread_create(&threads[i], NULL, answer, i ? ends : NULL);
    else if (argv[2][0] == 's') answer(i ? ends : NULL);
    else if (fork() == 0) answer(i ? ends : NULL), _exit(0);
  }
  for (int i = 0; i < 2; i++) read(ends[i][0], got + i, 1);
  printf("%c\n", got[0]);
  return 0;
}
C
cc -g -O0 -w -pthread -o two two.c
for way in threads self children; do
  status 1 twinrun why --output 1:0 "./two a.txt $way" "./two b.txt $way" >out 2>log
  has out "They differ because b.txt, line 1, column 1 has" "return d == 'b' ? 'Y' : 'N'"
  not grep "d == 'z'" out
done

# Whoever is not recorded is an input.
cat >asks.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void) {
  char said[9] = "";
  write(1, "what\n", 5);
  read(0, said, 8);
  return said[0] == 'Y';
}
C
cc -g -O0 -w -o asks asks.c
cat >outside.py <<'P'
import socket, subprocess, sys
ours, theirs = socket.socketpair()
said = sys.argv[2].encode()
ours.send(said)
# Another recorded process says the same to somebody else.
script = "./asks; got=$?; { printf %s " + sys.argv[2] + " | cat >/dev/null; }; exit $got"
subprocess.run(["twinrun", "record", "-q", "-o", sys.argv[1], "--", "sh", "-c", script], stdin=theirs, stdout=theirs)
P
python3 outside.py out-a No
python3 outside.py out-b Yes
status 1 twinrun why --exit out-a out-b >out
has out "They differ because standard input is 'N' in A, 'Y' in B"

# A server and its client in another language, if it is there; twice the same answer.
cat >talk.pl <<'P'
use Socket;
socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC);
if (!fork) {
  open my $in, "<", $ARGV[0];
  syswrite $theirs, uc <$in>;
  exit;
}
sysread $ours, my $said, 9;
syswrite STDOUT, $said;
P
if ! is_sanitized && perl -e 'use Socket;'; then
  export PERL_HASH_SEED=0
  for n in a b; do twinrun record -q -o "pl-$n" -- perl talk.pl $n.txt >said; done
  status 1 twinrun why --budget 0 --output 1:0 pl-a pl-b >out
  has out "They differ because b.txt, line 1, column 1 has"
  XDG_CACHE_HOME=$PWD/empty status 1 twinrun why --budget 0 --output 1:0 pl-a pl-b >again
  same out again
fi
