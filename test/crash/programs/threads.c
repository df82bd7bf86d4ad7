/* SPDX-License-Identifier: MIT */
/* Four threads work, each says when it has done a piece. */
/* flags: -pthread */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void* work(void* arg) {
  unsigned long x = (unsigned long)arg;
  char line[64];
  for (int i = 0; i < 40; i++) {
    for (int k = 0; k < 60000; k++) x = x * 31 + (x >> 7);
    write(1, line, (size_t)snprintf(line, sizeof line, "%ld %d\n", (long)arg, i));
  }
  return (void*)x;
}
int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, (void*)i);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  return write(1, "done\n", 5) == 5 ? 7 : 1;
}
