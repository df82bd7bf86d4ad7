/* SPDX-License-Identifier: MIT */
/* System calls that Valgrind does not know return ENOSYS, and a warning names them. */
/* torture: listed=W005 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
  int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
  printf("%s\n", fd < 0 ? strerror(errno) : "works");
}
