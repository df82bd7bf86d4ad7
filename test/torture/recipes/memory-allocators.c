/* SPDX-License-Identifier: MIT */
/* malloc in all its forms, by two threads too: alignment, growth, statistics of what is in use. */
/* torture: flags=-pthread */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *churn(void *arg) {
  void *all[200] = {0};
  unsigned seed = (unsigned)(uintptr_t)arg;
  long sum = 0;
  for (int i = 0; i < 5000; i++) {
    seed = seed * 1103515245 + 12345;
    unsigned at = (seed >> 8) % 200, size = (seed >> 16) % 3000;
    if (i % 3 == 0) {
      free(all[at]);
      all[at] = NULL;
    } else {
      all[at] = realloc(all[at], size + 1);
      memset(all[at], (int)i, size + 1);
      sum += ((unsigned char *)all[at])[size];
    }
  }
  for (int i = 0; i < 200; i++) free(all[i]);
  return (void *)sum;
}
int main(void) {
  pthread_t t[2];
  void *r;
  for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, churn, (void *)(i + 3));
  for (int i = 0; i < 2; i++) {
    pthread_join(t[i], &r);
    printf("%ld\n", (long)r);
  }
  for (size_t align = 16; align <= 65536; align *= 4) {
    void *p = NULL;
    posix_memalign(&p, align, 100);
    void *q = aligned_alloc(align, align * 2);
    printf("%d %d %zu\n", (int)((uintptr_t)p % align), (int)((uintptr_t)q % align), malloc_usable_size(p) >= 100);
    free(p);
    free(q);
  }
  int *z = calloc(1000, 1000);
  long sum = 0;
  for (int i = 0; i < 250000; i++) sum += z[i];
  z = reallocarray(z, 3000, 1000);
  printf("%ld %d\n", sum, calloc((size_t)-1, 2) == NULL);
  free(z);
}
