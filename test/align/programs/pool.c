// SPDX-License-Identifier: MIT
// Blocks of a pool that is itself one block of the heap.
#include <stdio.h>
#include <stdlib.h>

static char *pool, *next;

__attribute__((noinline)) void *pool_get(int kind, long size) {
  char *out = next;
  next += size + kind;
  return out;
}
__attribute__((noinline)) void pool_put(int kind, void *block) { (void)kind, (void)block; }
__attribute__((noinline)) void stop(void) { fflush(stdout); }

int main(void) {
  pool = next = malloc(1000);
  char *one = pool_get(8, 100);
  char *two = pool_get(8, 50);
  char *three = pool_get(8, 20);
  pool_put(0, two);
  printf("%p\n%p\n%p\n%p\n", (void *)(one + 99), (void *)(two + 1), (void *)three, (void *)(pool + 999));
  stop();  // looked at here
  return 0;
}
