/* SPDX-License-Identifier: MIT */
/* What the C library says of the main thread's stack: its size is the limit's, and it holds a local variable. It reads
   /proc/self/maps for that. */
/* torture: listed=W023 */
/* torture: launch=ulimit -s 8192 */
/* torture: launch=ulimit -s 20480 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
int main(void) {
  pthread_attr_t attributes;
  void *at = NULL;
  size_t size = 0;
  int failed = pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &at, &size);
  printf("%d %zu MB, inside: %d\n", failed, (size + (1 << 20) - 1) >> 20, (char *)&size > (char *)at && (char *)&size < (char *)at + size);
}
