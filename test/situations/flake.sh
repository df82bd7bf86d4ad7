# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A test that fails when its server answers too late.
needs_recorder
cat >client.c <<'C'
#include <poll.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  struct pollfd server = {.fd = 0, .events = POLLIN};
  if (poll(&server, 1, 1000) == 0) {
    fprintf(stderr, "client: no answer in time\n");
    return 1;
  }
  puts("answered");
  return 0;
}
C
cc -g -O0 -o client client.c
echo ready | twinrun record -q -o pass -- ./client
sleep 4 | status 1 twinrun record -q -o flake -- ./client
status 1 twinrun why pass flake >out
begins out "poll()" "no answer in time"
