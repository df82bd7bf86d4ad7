# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What is read in memory that processes share leads to the process that wrote it, if that is certain.
needs_recorder
cat >shared.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int rule(int c) {
  return c == 'b' ? 22 : 11;
}
static void *part(int fd) {
  return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  int c = getc(in), fd = -1, id = -1;
  fclose(in);
  volatile int *at = NULL;
  switch (argv[2][0]) {
    case 'a': at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); break;
    case 'f': fd = open("shared.data", O_RDWR | O_CREAT | O_TRUNC, 0600); break;
    case 'm': fd = memfd_create("box", 0); break;
    case 's': fd = shm_open(argv[4], O_RDWR | O_CREAT | O_TRUNC, 0600); break;
    case 'v': id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600); break;
  }
  if (fd >= 0) ftruncate(fd, 4096);
  if (argv[3][0] == 'w') at = fd >= 0 ? part(fd) : id >= 0 ? shmat(id, NULL, 0) : at, at[5] = 7;
  if (fork() == 0) {
    if (fd >= 0) at = part(fd);
    if (id >= 0) at = shmat(id, NULL, 0);
    at[5] = rule(c);
    _exit(0);
  }
  wait(NULL);
  if (!at) at = fd >= 0 ? part(fd) : shmat(id, NULL, 0);
  printf("%d\n", at[5]);
  if (id >= 0) shmctl(id, IPC_RMID, NULL);
  if (argv[2][0] == 's') shm_unlink(argv[4]);
  return 0;
}
C
echo a >a.txt
echo b >b.txt
box=/twinrun-e2e-$$
because="They differ because b.txt, line 1, column 1 has"
# Without a file, by file, memfd, name and segment; read by who never wrote there (n), and by who had (w).
for level in $(levels); do
  cc -g $level -w -o shared shared.c
  ways=('a n' 'a w' 'f n' 'm w' 's n' 'v w')
  ! is_sanitized || ways=('a w' 'f n' 'v w')
  for way in "${ways[@]}"; do
    status 1 twinrun why --output 1:0 "./shared a.txt $way $box" "./shared b.txt $way $box" >out 2>log
    has out "$because" "return c == 'b' ? 22 : 11"
  done
done

# The parent writes when the child is there already, and goes on writing; or two write alike, and nobody can tell.
cat >order.c <<'C'
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int rule(int c) {
  return c == 'b' ? 22 : 11;
}
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  int c = getc(in), ready[2], done[2];
  char byte;
  fclose(in);
  volatile int *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  at[0] = 3;
  pipe(ready);
  pipe(done);
  if (fork() == 0) {
    read(ready[0], &byte, 1);
    printf("%d\n", at[0]);
    fflush(stdout);
    write(done[1], "x", 1);
    _exit(0);
  }
  if (argv[2][0] == 't') {
    if (fork() == 0) at[0] = rule(c), _exit(0);
    wait(NULL);
  }
  at[0] = rule(c);
  write(ready[1], "x", 1);
  read(done[0], &byte, 1);
  at[0] = 5;
  wait(NULL);
  return 0;
}
C
cc -g -O0 -w -o order order.c
for n in a b; do twinrun record -q -o "one-$n" -- ./order $n.txt one >printed; done
status 1 twinrun why --output 1:0 one-a one-b >out
has out "$because" 'at[0] = rule(c);'
XDG_CACHE_HOME=$PWD/empty status 1 twinrun why --output 1:0 one-a one-b >again
same out again
status 1 twinrun why --output 1:0 './order a.txt two' './order b.txt two' >out 2>log
not grep -q 'at\[0\] = rule' out
