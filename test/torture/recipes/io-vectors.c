/* SPDX-License-Identifier: MIT */
/* preadv, pwritev, readv of parts, and lseek with holes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void) {
  int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
  struct iovec out[3] = {{"alpha", 5}, {"", 0}, {"beta!", 5}};
  printf("%ld\n", (long)pwritev(fd, out, 3, 7));
  printf("%ld\n", (long)pwritev2(fd, out, 3, 100000, 0));
  char a[4] = "", b[9] = "", c[30] = "";
  struct iovec in[3] = {{a, 3}, {b, 8}, {c, 29}};
  printf("%ld\n", (long)preadv(fd, in, 3, 5));
  for (int i = 0; i < 3; i++) printf("%d ", a[i]);
  printf("%.8s\n", b);
  printf("%ld %ld\n", (long)lseek(fd, 0, SEEK_END), (long)lseek(fd, -10, SEEK_END));
  printf("%ld %.10s\n", (long)read(fd, c, 29), c);
  ftruncate(fd, 20);
  printf("%ld\n", (long)preadv(fd, in, 3, 15));
  printf("%d\n", (int)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
}
