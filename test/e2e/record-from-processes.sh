# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# --from: threads that are there when it begins, in calls that they have made; processes, each by itself.
needs_recorder
cat >threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int pipes[2], ready[2], found;
static void *waits(void *arg) {
  char c;
  (void)!write(ready[1], "r", 1);
  if (read(pipes[0], &c, 1) == 1) __atomic_add_fetch(&found, c, __ATOMIC_SEQ_CST);
  return arg;
}
__attribute__((noinline)) void work(void) {
  for (volatile int i = 0; i < 1000; ++i) continue;
  (void)!write(pipes[1], "abc", 3);
}
int main(void) {
  pthread_t t[3], gone;
  char c;
  if (pipe(pipes) || pipe(ready)) return 9;
  pthread_create(&gone, NULL, waits, NULL);
  (void)!write(pipes[1], "z", 1);
  pthread_join(gone, NULL);
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, waits, NULL);
  for (int i = 0; i < 4; i++) (void)!read(ready[0], &c, 1);
  usleep(200000);
  work();
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  printf("%d\n", found);
  return 0;
}
C
gcc -g -O1 -pthread -o threads threads.c
./threads >native
twinrun record -o threads.twin --from work -- ./threads >out
same native out
twinrun verify threads.twin
twinrun info --json threads.twin >out
json out '[t["thread"] for t in d["processes"][0]["threads"]] == [1, 3, 4, 5]'
twinrun dump --syscalls threads.twin >out
has out ', "a", 1) = 1' ', "b", 1) = 1' ', "c", 1) = 1'
# Registers of a thread that was in a call: its result is the call's, all others are older than the recording.
twinrun who --at 3.0 --what rax threads.twin >out
has out "system call read"
twinrun who --at 3.0 --what rbx threads.twin >out
has out "was there when the recording began"

cat >forks.c <<'C'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n) {
  for (volatile int i = 0; i < 1000; ++i) continue;
  return n + 1;
}
int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 3; ++i) {
    if (fork() != 0) continue;
    if (i == 0) return 0;
    int r = work(i);
    if (fork() == 0) _exit(r);
    wait(NULL);
    if (i == 2) execlp("echo", "echo", "from an exec", NULL);
    return r;
  }
  while (wait(NULL) > 0) continue;
  return argc;
}
C
gcc -g -O1 -o forks forks.c
# The first process and one of its children never come to it; what a recorded one forks and executes is recorded.
status 1 twinrun record --wait all -o forks.twin --from work -- ./forks >out
has out "from an exec"
twinrun verify forks.twin
twinrun info --json forks.twin >out
json out 'sorted(p["origin"] for p in d["processes"]) == ["exec", "fork", "fork", "late", "late"]'
json out 'all((p["parent"] is None) == (p["origin"] == "late") for p in d["processes"])'
json out '[p["process"] for p in d["processes"]] == [1, 2, 3, 4, 5]'
# Behind an exec and a fork; a script's function is one of its interpreter.
status 1 twinrun record --force -o forks.twin --from './forks!work' -- sh -c 'exec ./forks' >out
twinrun verify forks.twin
printf '#!/usr/bin/env bash\n./forks\n' >script
chmod +x script
status 1 twinrun record --force -o forks.twin --from './forks!work' -- ./script >out
twinrun info --json forks.twin >out
json out 'len(d["processes"]) == 5 and all("work" not in p["command"] for p in d["processes"])'
# Its memory is shared with a process that is not recorded.
cat >shared.c <<'C'
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) static int work(volatile int *there) {
  int sum = *there;
  while (*there < 3) sum += *there;
  return sum > 0;
}
int main(void) {
  int *there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (fork() == 0) {
    for (int i = 0; i < 4; ++i, usleep(20000)) __atomic_store_n(there, i, __ATOMIC_SEQ_CST);
    return 0;
  }
  return !work(there);
}
C
gcc -g -O1 -o shared shared.c
twinrun record -o shared.twin --from work -- ./shared
twinrun verify shared.twin
