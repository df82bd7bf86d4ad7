/* SPDX-License-Identifier: MIT */
/* What a process made by vfork writes is there for its parent: on the stack, in data, on the heap, by read and by sprintf. */
/* torture: args=exit */
/* torture: args=exec */
/* torture: args=killed */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int number;
static char text[100];
static char *volatile heap;
int main(int argc, char **argv) {
  volatile int local = 1;
  char first[8] = "";
  int status = 0;
  heap = calloc(1, 20000);
  (void)argc;
  pid_t p = vfork();
  if (p == 0) {
    local = 17;
    number = 18;
    sprintf(text, "%s %d", "formatted", 19);
    heap[19999] = 'z';
    heap[4096] = 'y';
    int fd = open("/proc/sys/kernel/ostype", O_RDONLY);
    if (read(fd, first, 5) != 5) _exit(1);
    close(fd);
    if (strcmp(argv[1], "exec") == 0) execl("/bin/true", "true", (char *)NULL);
    if (strcmp(argv[1], "killed") == 0) kill(getpid(), SIGTERM);
    _exit(5);
  }
  waitpid(p, &status, 0);
  printf("%d %d '%s' %c%c %s status %d %d\n", local, number, text, heap[19999], heap[4096], first, WEXITSTATUS(status),
         WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}
