/* SPDX-License-Identifier: MIT */
/* A recursion of 100 000 frames. */
/* torture: flags=-O0 */
#include <stdio.h>
static long __attribute__((noinline)) down(long n) { return n == 0 ? 0 : down(n - 1) + n; }
int main(void) { printf("%ld\n", down(50000) + down(100000)); }
