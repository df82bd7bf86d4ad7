/* SPDX-License-Identifier: MIT */
/* Nested functions with trampolines on the stack, VLAs, alloca and variadic calls. */
/* torture: flags=-O1 -Wl,-z,execstack */
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
static double sum(int n, ...) {
  va_list l;
  double s = 0;
  va_start(l, n);
  for (int i = 0; i < n; i++) s += i % 2 ? va_arg(l, double) : va_arg(l, int);
  va_end(l);
  return s;
}
static int apply(int (*f)(int), int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += f(i);
  return s;
}
int main(void) {
  int factor = 3;
  int times(int x) { return x * factor; }
  for (factor = 1; factor < 5; factor++) printf("%d ", apply(times, 20));
  printf("%g\n", sum(6, 1, 2.5, 3, 4.5, 5, 6.5));
  long total = 0;
  for (int n = 1; n < 60; n++) {
    int v[n][n];
    char *p = alloca((size_t)n * 9);
    memset(p, n, (size_t)n * 9);
    for (int i = 0; i < n; i++) v[i][n - 1 - i] = p[i * 8];
    total += v[n / 2][n - 1 - n / 2];
  }
  printf("%ld\n", total);
}
