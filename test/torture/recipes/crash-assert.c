/* SPDX-License-Identifier: MIT */
/* A failing assertion writes to stderr and aborts. */
#include <assert.h>
#include <stdlib.h>
#include <sys/resource.h>
int main(int argc, char **argv) {
  (void)argv;
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  assert(argc > 5);
}
