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
for level in $(levels); do
  for program in words maps workers; do cc -g $level -pthread -w -o $program $program.c; done
  status 1 twinrun why './words admin' './words somebody-else' >out 2>log
  has out "They differ because argv[1] is" "words.c:4"
  for program in maps workers; do
    status 1 twinrun why "./$program 3 4" "./$program 9 5" >out 2>log
    has out "They differ because argv[2] is"
  done
done
