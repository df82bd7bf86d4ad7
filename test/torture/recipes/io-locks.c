/* SPDX-License-Identifier: MIT */
/* Record locks, open file description locks and flock, between two processes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int fd = open("file", O_RDWR | O_CREAT, 0644), ready[2], done[2];
  pipe(ready);
  pipe(done);
  write(fd, "0123456789", 10);
  if (fork() == 0) {
    struct flock mine = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 2, .l_len = 3};
    fcntl(fd, F_SETLK, &mine);
    int own = open("file", O_RDWR);
    flock(own, LOCK_EX);
    write(ready[1], "x", 1);
    char c;
    read(done[0], &c, 1);
    _exit(0);
  }
  char c;
  read(ready[0], &c, 1);
  struct flock ask = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
  fcntl(fd, F_GETLK, &ask);
  printf("%d %d %ld %ld\n", ask.l_type == F_WRLCK, ask.l_whence, (long)ask.l_start, (long)ask.l_len);
  ask = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 4, .l_len = 1};
  printf("%d %s\n", fcntl(fd, F_SETLK, &ask), strerror(errno));
  ask = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 3, .l_len = 1};
  int r = fcntl(fd, F_OFD_GETLK, &ask);
  printf("%d %d %ld\n", r, ask.l_type == F_WRLCK, (long)ask.l_start);
  printf("%d %s\n", flock(fd, LOCK_EX | LOCK_NB), strerror(errno));
  write(done[1], "x", 1);
  wait(NULL);
  printf("%d\n", flock(fd, LOCK_EX | LOCK_NB));
}
