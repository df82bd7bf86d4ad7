/* SPDX-License-Identifier: MIT */
/* A daemon by double fork: the first process ends at once, the grandchild works on. */
#include <stdio.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
  int p[2];
  char c;
  pipe(p);
  if (fork() == 0) {
    setsid();
    if (fork() == 0) {
      close(p[0]);
      int fd = open("daemon.txt", O_WRONLY | O_CREAT, 0644);
      usleep(50000);
      write(fd, "worked\n", 7);
      close(fd);
      write(p[1], "d", 1);
      _exit(0);
    }
    _exit(0);
  }
  read(p[0], &c, 1);
  puts("the daemon has said it is done");
}
