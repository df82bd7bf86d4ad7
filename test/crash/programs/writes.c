/* SPDX-License-Identifier: MIT */
/* Memory traffic that no predictor foresees: random numbers, stored and loaded; a big recording. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
  enum { kWords = 1 << 20 };
  unsigned long *a = malloc(kWords * sizeof *a), x = 88172645463325252UL, sum = 0;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < kWords; i++) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      a[i] = x;
    }
    for (int i = 0; i < kWords; i++) sum += a[(a[i] + sum) % kWords];
    write(1, "round\n", 6);
  }
  fprintf(stderr, "%lu\n", sum);
  return write(1, "done\n", 5) == 5 ? 7 : 1;
}
