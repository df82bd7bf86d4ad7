/* SPDX-License-Identifier: MIT */
/* A process made by vfork beside threads allocates much and little, maps anew where it gave back, and its parent has it all. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static char *volatile heap, *volatile large;
static void *wait_there(void *of) {
  pause();
  return of;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, wait_there, NULL);
  char *again = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(again, 'q', 8192);
  for (int round = 0; round < 3; round++) {
    pid_t p = vfork();
    if (p == 0) {
      munmap(again, 8192);
      mmap(again, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      again[4000] = 'q';
      for (int i = 0; i < 40; i++) memset(heap = malloc(10000), 'a' + round, 10000);
      strcpy(large = malloc(1 << 20), "large");
      _exit(0);
    }
    waitpid(p, NULL, 0);
    printf("%d %c %c %s\n", again[0], again[4000], heap[9999], large);
    memset(again, 'q', 8192);
    free(large);
    for (int i = 0; i < 100; i++) memset(malloc(20000), i, 20000);
  }
}
