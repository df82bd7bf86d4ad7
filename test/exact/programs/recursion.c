/* SPDX-License-Identifier: MIT */
/* Recursion: Fibonacci and Ackermann. */
#include "start.h"
NOINLINE static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
NOINLINE static long ackermann(long m, long n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
int main(void) { return (int)(fib(15) + ackermann(2, 5)); }
