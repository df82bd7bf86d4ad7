# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Both runs begin at an anchor: what was there by then is given, what follows is explained.
needs_recorder
cat >twice.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int scale;
__attribute__((noinline)) static void prepare(const char *text) {
  scale = atoi(text);
  for (volatile int i = 0; i < scale; ++i) continue;
}
__attribute__((noinline)) static int work(int start) {
  int sum = start;
  for (int i = 0; i < 3; ++i)
    sum += scale;
  return sum;
}
int main(int argc, char **argv) {
  prepare(argv[1]);
  prepare(argv[2]);
  printf("%d\n", work(argc));
  return 0;
}
C
for level in $(levels); do
  cc -g $level -o twice twice.c
  twinrun record -q --force -o a.twin -- ./twice 9 4 >said
  twinrun record -q --force -o b.twin -- ./twice 2 5 >said
  status 1 twinrun why --anchor work a.twin b.twin >out 2>log
  has out "They differ because what twice.c:5 wrote in front of the anchor is 4 in A, 5 in B" "twice.c:11"
  # From the start it goes on to what the runs were given.
  status 1 twinrun why a.twin b.twin >out 2>log
  has out "argv[2]"
done
status 2 twinrun why --anchor nowhere a.twin b.twin 2>err
has err "A003" "nowhere"

# A thread that never comes to it is compared from its start.
cat >threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int found;
__attribute__((noinline)) static void search(int from) { found = from * 7; }
static void *other(void *number) {
  search(*(int *)number);
  return NULL;
}
int main(int argc, char **argv) {
  int number = atoi(argv[1]);
  pthread_t thread;
  pthread_create(&thread, NULL, other, &number);
  pthread_join(thread, NULL);
  printf("%d\n", found);
  return argc == 9;
}
C
cc -g -pthread -o threads threads.c
status 1 twinrun why --anchor search './threads 3' './threads 4' >out 2>log
has out "threads.c:5"
