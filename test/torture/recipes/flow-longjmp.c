/* SPDX-License-Identifier: MIT */
/* setjmp and longjmp over many frames, also out of a qsort callback. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static int calls;
static int __attribute__((noinline)) down(int n) {
  if (n == 0) longjmp(back, 1);
  return down(n - 1) + 1;
}
static int compare(const void *a, const void *b) {
  if (++calls == 500) longjmp(back, 2);
  return *(const int *)a - *(const int *)b;
}
int main(void) {
  volatile int jumps = 0;
  int v[300];
  for (volatile int i = 0; i < 300; i++) {
    if (setjmp(back) == 0) down(i);
    jumps++;
  }
  for (int i = 0; i < 300; i++) v[i] = i * 7919 % 300;
  int r = setjmp(back);
  if (r == 0) qsort(v, 300, sizeof *v, compare);
  printf("%d %d %d\n", jumps, r, calls);
}
