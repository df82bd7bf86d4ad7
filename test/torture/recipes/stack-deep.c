/* SPDX-License-Identifier: MIT */
/* Recursion as deep as the limit on the stack allows, and no deeper. */
/* torture: args=7 */
/* torture: launch=ulimit -s 8192 */
/* torture: launch=ulimit -s 32768 */
/* torture: launch=ulimit -s unlimited */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static int down(int left) {
  volatile char frame[1024];
  frame[left & 1023] = (char)left;
  return left == 0 ? 0 : down(left - 1) + (frame[left & 1023] == (char)left);
}
int main(int argc, char **argv) {
  struct rlimit limit;
  (void)argc;
  getrlimit(RLIMIT_STACK, &limit);
  const long most = limit.rlim_cur == RLIM_INFINITY ? 300 : (long)(limit.rlim_cur >> 20);
  printf("%d\n", down(atoi(argv[1]) * 1000));
  printf("%d\n", down((int)(most - 1) * 900)); /* frames are somewhat larger than 1 KB */
  fflush(stdout);
  if (limit.rlim_cur == RLIM_INFINITY) return 0;
  int status = 0;
  if (fork() == 0) {
    signal(SIGSEGV, SIG_DFL);
    _exit(down((int)(most + 1) * 1024) & 1);
  }
  wait(&status);
  printf("signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}
