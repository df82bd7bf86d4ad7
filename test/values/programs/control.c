// SPDX-License-Identifier: MIT
// Loops, recursion, jump tables, callbacks and longjmp, for slices over control dependence.
#include <setjmp.h>
#include <stdlib.h>

#define KEEP __attribute__((noinline))

static volatile unsigned seed = 12345;
static int data[64];
static jmp_buf env;

KEEP static unsigned draw(void) { return seed = seed * 1664525u + 1013904223u; }

KEEP static int choose(unsigned n, int x) {
  switch (n % 9) {
    case 0: return x + 1;
    case 1: return x * 3;
    case 2: x ^= 5; /* fall through */
    case 3: return x - 2;
    case 4: return data[n % 64];
    case 5: return x > 10 ? x / 2 : -x;
    case 6: data[n % 64] = x; return x;
    case 7: while (x > 40) x -= 7; return x;
    default: return (int)(n & 15);
  }
}
KEEP static int dive(int n, int x) {
  if (n == 0) {
    if (x & 1) longjmp(env, x | 1);
    return x;
  }
  const int below = dive(n - 1, x + (int)(draw() >> 28));
  return below > 3 ? below - 1 : below + 1;
}
KEEP static int jumps(int x) {
  volatile int sum = 0;
  for (volatile int i = 0; i < 6; i++) {
    const int got = setjmp(env);
    if (got == 0)
      sum += dive(i, x);
    else if (got > 20)
      sum += got;
    else
      sum -= 1;
    if (sum > 100) break;
  }
  return sum;
}
KEEP static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
KEEP static int compare(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}
KEEP static int nested(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j > 0; j /= 2) {
      if ((i ^ j) % 3 == 0) continue;
      if (sum > 1000) goto done;
      sum += choose((unsigned)(i * j), sum);
    }
    do {
      sum += (int)(draw() >> 30);
    } while (sum & 1);
  }
done:
  return sum;
}

int main(int argc, char **argv) {
  int x = 0;
  for (int i = 0; i < 64; ++i) data[i] = (int)(draw() >> 20);
  for (int rounds = argc > 1 ? atoi(argv[1]) : 1; rounds > 0; --rounds) {
    for (int i = 0; i < 40; ++i) x = choose(draw() >> 8, x);
    x += fib(7);
    x += nested(20);
    for (int i = 0; i < 4; ++i) x += jumps(x & 15);
    qsort(data, 24, sizeof data[0], compare);
  }
  return (x + data[5]) & 63;
}
