/* SPDX-License-Identifier: MIT */
/* Signal 64 belongs to the recorder. */
/* torture: listed=W024 */
#include <signal.h>
#include <stdio.h>
static volatile int seen;
static void handler(int s) { seen = s; }
int main(void) {
  struct sigaction sa = {.sa_handler = handler};
  int r = sigaction(64, &sa, NULL);
  if (r == 0) raise(64);
  printf("%d %d\n", r, seen);
}
