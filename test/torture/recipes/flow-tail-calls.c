/* SPDX-License-Identifier: MIT */
/* Tail calls by jump, computed goto, a switch by jump table, function pointers. */
/* torture: flags=-O2 */
#include <stdio.h>
static long __attribute__((noinline)) odd(long n, long acc);
static long __attribute__((noinline)) even(long n, long acc) {
  return n == 0 ? acc : odd(n - 1, acc + 1);
}
static long __attribute__((noinline)) odd(long n, long acc) {
  return n == 0 ? -acc : even(n - 1, acc + 2);
}
static long machine(const unsigned char *code) {
  static const void *const go[] = {&&halt, &&inc, &&dbl, &&neg};
  long acc = 1;
  goto *go[*code++];
inc:
  acc += 3;
  goto *go[*code++];
dbl:
  acc = acc * 2 % 1000003;
  goto *go[*code++];
neg:
  acc = -acc;
  goto *go[*code++];
halt:
  return acc;
}
int main(void) {
  unsigned char code[1001];
  long (*f[2])(long, long) = {odd, even}, sum = 0;
  for (int i = 0; i < 1000; i++) code[i] = (unsigned char)(i * i % 3 + 1);
  code[1000] = 0;
  for (int i = 0; i < 1000; i++) sum += f[i & 1](i, 0);
  printf("%ld %ld\n", sum, machine(code));
}
