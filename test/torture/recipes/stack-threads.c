/* SPDX-License-Identifier: MIT */
/* Deep recursion in threads: with stacks of 64 MB, with the default, with memory of their own. */
/* torture: flags=-O1 */
/* torture: launch=ulimit -s 8192 */
/* torture: launch=ulimit -s 40000 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int down(int left) {
  volatile char frame[1000];
  frame[left % 1000] = (char)left;
  return left == 0 ? 0 : down(left - 1) + (frame[left % 1000] == (char)left);
}
static void *run(void *frames) { return (void *)(long)down((int)(long)frames); }
int main(void) {
  pthread_t t[3];
  pthread_attr_t large, own, usual;
  size_t size = 0;
  pthread_attr_init(&large);
  pthread_attr_init(&own);
  pthread_attr_init(&usual);
  pthread_attr_setstacksize(&large, 64 << 20);
  pthread_attr_setstack(&own, aligned_alloc(4096, 16 << 20), 16 << 20);
  pthread_attr_getstacksize(&usual, &size);
  pthread_create(&t[0], &large, run, (void *)50000L);
  pthread_create(&t[1], &own, run, (void *)12000L);
  pthread_create(&t[2], NULL, run, (void *)(long)(size / 1400));
  for (int i = 0; i < 3; i++) {
    void *got;
    pthread_join(t[i], &got);
    printf("%ld\n", (long)got);
  }
}
