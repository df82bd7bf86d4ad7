/* SPDX-License-Identifier: MIT */
/* A program raises and lowers the limit on its stack while it runs: the kernel looks at it whenever the stack grows. */
/* torture: launch=ulimit -Ss 8192 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static int down(int left) {
  volatile char frame[1024];
  frame[left & 1023] = (char)left;
  return left == 0 ? 0 : down(left - 1) + (frame[left & 1023] == (char)left);
}
static void try(long megabytes, int frames) {
  struct rlimit limit;
  int status = 0;
  getrlimit(RLIMIT_STACK, &limit);
  limit.rlim_cur = (rlim_t)megabytes << 20;
  printf("%s, ", setrlimit(RLIMIT_STACK, &limit) ? strerror(errno) : "set");
  getrlimit(RLIMIT_STACK, &limit);
  printf("%ld, ", (long)limit.rlim_cur >> 20);
  fflush(stdout);
  if (fork() == 0) _exit(down(frames) == frames ? 5 : 6);
  wait(&status);
  printf("exit %d signal %d\n", WEXITSTATUS(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}
int main(void) {
  try(8, 5000);
  try(8, 12000);
  try(64, 40000);
  try(64, 80000);
  try(4, 2500);
  try(4, 6000);
}
