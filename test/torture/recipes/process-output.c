/* SPDX-License-Identifier: MIT */
/* A lot of output on both streams, binary and interleaved. */
#include <stdio.h>
#include <unistd.h>
int main(void) {
  unsigned char buf[1000];
  for (int i = 0; i < 1000; i++) buf[i] = (unsigned char)(i * 31);
  for (int i = 0; i < 500; i++) fwrite(buf, 1, 1000 - i, stdout);
  for (int i = 0; i < 20; i++) fprintf(stderr, "line %d\n", i);
  fwrite(buf, 1, 300, stderr);
}
