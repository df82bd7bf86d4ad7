# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What only moves arguments, mappings, stacks of threads and libraries is no cause: pointers into them mean the same.
needs_recorder
cat >words.c <<'C'
#include <string.h>
int main(int argc, char **argv) {
  int out = 7;
  if (strcmp(argv[1], "admin") == 0) out = 0;
  return out;
}
C
cat >maps.c <<'C'
#include <stdlib.h>
#include <sys/mman.h>
int main(int argc, char **argv) {
  long pages = atoi(argv[1]);
  char *scratch = mmap(0, pages << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long *table = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  scratch[5] = 1;
  table[600] = atoi(argv[2]);
  return table[600] + scratch[5];
}
C
cat >workers.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static void *work(void *of) {
  int mine[4] = {0, *(int *)of, 0, 0};
  int *volatile where = mine + 1;
  return (void *)(long)(*where * 2);
}
int main(int argc, char **argv) {
  int value = atoi(argv[2]);
  char *pad = malloc(atoi(argv[1]) * 150000);
  pthread_t thread;
  void *out;
  pthread_create(&thread, 0, work, &value);
  pthread_join(thread, &out);
  return (long)out + (pad == 0);
}
C
# A library that only one run loads lies in front of the one that both use; handles of threads are kept in memory.
cat >front.c <<'C'
int front[5000] = {1};
C
cat >table.c <<'C'
int table[8] = {2, 4, 6, 8};
int *entry(int i) { return &table[i & 7]; }
C
cat >bases.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
static struct { int *cell; pthread_t thread; } job;
static void *work(void *step) { return (void *)(long)(*job.cell += *(int *)step); }
int main(int argc, char **argv) {
  int step = 3;
  void *out;
  if (argv[1][0] == '9') dlopen("./front.so", RTLD_NOW);
  int *(*entry)(int) = (int *(*)(int))dlsym(dlopen("./table.so", RTLD_NOW), "entry");
  job.cell = entry(2);
  *job.cell = atoi(argv[2]);
  pthread_create(&job.thread, 0, work, &step);
  pthread_join(job.thread, &out);
  return (long)out;
}
C
cc -shared -fPIC -o front.so front.c
cc -shared -fPIC -o table.so table.c
for level in $(levels); do
  for program in words maps workers bases; do cc -g $level -pthread -w -o $program $program.c -ldl; done
  status 1 twinrun why './words admin' './words somebody-else' >out 2>log
  has out "They differ because argv[1] is" "words.c:4"
  for program in maps workers bases; do
    status 1 twinrun why "./$program 3 4" "./$program 9 5" >out 2>log
    has out "They differ because argv[2] is"
  done
done
