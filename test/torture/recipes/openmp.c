/* SPDX-License-Identifier: MIT */
/* OpenMP: a parallel reduction and tasks. */
/* torture: flags=-fopenmp */
/* torture: env=OMP_NUM_THREADS=4 */
/* torture: env=OMP_WAIT_POLICY=passive */
#include <omp.h>
#include <stdio.h>
static long fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a) if (n > 10)
  a = fib(n - 1);
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
int main(void) {
  long sum = 0, f = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100000; i++) sum += i % 7;
#pragma omp parallel
#pragma omp single
  f = fib(16);
  printf("%ld %ld\n", sum, f);
}
