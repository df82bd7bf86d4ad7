/* SPDX-License-Identifier: MIT */
/* A program leaves itself no address space: the recorder has none either, and does not end it without a word. */
/* torture: listed=W031 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
int main(void) {
  struct rlimit r = {8 << 20, RLIM_INFINITY};
  printf("%d\n", setrlimit(RLIMIT_AS, &r));
  fflush(stdout);
  int got = 0;
  while (got < 1000 && malloc(1 << 20)) got++;
  printf("%d\n", got < 1000);
  const int parts[] = {3, 1, 2};
  char text[100];
  for (int i = 0; i < 3; i++) snprintf(text, sizeof text, "%s %d %f", strerror(i + 1), parts[i], i / 3.0);
  puts(text);
}
