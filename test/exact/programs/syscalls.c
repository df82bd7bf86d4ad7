/* SPDX-License-Identifier: MIT */
/* Many system calls: good ones, failing ones, unknown ones. */
#include "start.h"
int main(void) {
  long r = 0;
  for (int i = 0; i < 60; i++) {
    r += CALL(kGetpid, 0, 0, 0) > 0;
    r += CALL(kWrite, 77, "x", 1) < 0;
    char* p = (char*)call6(kMmap, 0, 8192, 3, 0x22, -1, 0);
    p[i] = (char)i;
    r += p[i] + p[4096];
    r += CALL(11 /* munmap */, p, 8192, 0) == 0;
  }
  CALL(kWrite, 1, "calls\n", 6);
  return (int)r;
}
