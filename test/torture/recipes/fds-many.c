/* SPDX-License-Identifier: MIT */
/* 900 descriptors at once, dup2 onto chosen numbers, descriptors kept across exec. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  long sum = 0;
  for (int i = 0; i < 900; i++) {
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return printf("failed at %d\n", i), 1;
    sum += fd;
  }
  printf("%ld %d %d\n", sum, dup2(1, 500), dup2(1, 1000));
  fflush(stdout);
  execl("/bin/bash", "bash", "-c", "echo kept >&500; ls /proc/self/fd | grep -c 1000", (char *)NULL);
}
