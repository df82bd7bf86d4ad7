/* SPDX-License-Identifier: MIT */
/* The parent of a vfork goes on only when the child is done. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  for (int i = 0; i < 10; i++) {
    pid_t p = vfork();
    if (p == 0) {
      usleep(2000);
      if (write(1, "child\n", 6) != 6) _exit(1);
      _exit(0);
    }
    if (write(1, "parent\n", 7) != 7) return 1;
    waitpid(p, NULL, 0);
  }
}
