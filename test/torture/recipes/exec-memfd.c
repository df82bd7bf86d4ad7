/* SPDX-License-Identifier: MIT */
/* fexecve of a program that exists only in a memfd. */
/* torture: listed=W017 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
int main(void) {
  int in = open("/bin/echo", O_RDONLY), out = memfd_create("echo", 0);
  char *argv[] = {"echo", "from", "memory", NULL}, *env[] = {"A=b", NULL};
  while (sendfile(out, in, NULL, 1 << 20) > 0)
    ;
  fexecve(out, argv, env);
  perror("fexecve");
  return 1;
}
