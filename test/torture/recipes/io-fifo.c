/* SPDX-License-Identifier: MIT */
/* A named pipe between a parent and a child, with O_NONBLOCK and poll. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  mkfifo("fifo", 0600);
  printf("%d %s\n", open("fifo", O_WRONLY | O_NONBLOCK), strerror(errno));
  int in = open("fifo", O_RDONLY | O_NONBLOCK);
  if (fork() == 0) {
    int out = open("fifo", O_WRONLY);
    for (int i = 0; i < 5; i++) dprintf(out, "message %d\n", i);
    _exit(3);
  }
  int status;
  wait(&status);
  struct pollfd p = {in, POLLIN, 0};
  poll(&p, 1, 1000);
  char buffer[200] = "";
  printf("%d %ld\n", WEXITSTATUS(status), (long)read(in, buffer, 199));
  printf("%s", buffer);
  printf("%ld\n", (long)read(in, buffer, 199));
}
