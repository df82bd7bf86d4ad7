/* SPDX-License-Identifier: MIT */
/* Under a low limit of open files a program still starts, opens some, forks and executes. */
/* torture: launch=ulimit -n 32 */
/* torture: launch=ulimit -n 64 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int n = 0, fd, st;
  for (int i = 0; i < 3; i++) n += open("/dev/null", O_RDONLY) >= 0;
  printf("%d\n", n);
  fflush(stdout);
  for (fd = 3; fd < 8; fd++) close(fd);
  if (fork() == 0) {
    execl("/bin/echo", "echo", "child", (char *)NULL);
    _exit(9);
  }
  wait(&st);
  return WEXITSTATUS(st);
}
