/* SPDX-License-Identifier: MIT */
/* Ends by a signal: what was executed before counts, the fault does not. */
#include "start.h"
int main(void) {
  volatile int x = 0;
  for (int i = 0; i < 100; i++) x += i;
  *(volatile int*)8 = x;
  return 0;
}
