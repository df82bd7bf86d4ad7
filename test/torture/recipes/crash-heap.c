/* SPDX-License-Identifier: MIT */
/* The C library's own heap checks: a double free aborts with its message. */
#include <stdlib.h>
#include <sys/resource.h>
int main(void) {
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  char *volatile p = malloc(2000);
  char *volatile q = malloc(10);
  free(p);
  free(p);
  free(q);
}
