/* SPDX-License-Identifier: MIT */
/* A tree of processes; a parent does not mind when a child is killed. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void tree(int depth) {
  volatile unsigned long x = 1;
  for (int i = 0; i < 200000; i++) x = x * 3 + 1;
  write(1, "node\n", 5);
  for (int i = 0; depth > 0 && i < 2; i++)
    if (fork() == 0) {
      tree(depth - 1);
      _exit(0);
    }
  while (wait(NULL) > 0)
    ;
}
int main(void) {
  tree(4);
  return write(1, "done\n", 5) == 5 ? 7 : 1;
}
