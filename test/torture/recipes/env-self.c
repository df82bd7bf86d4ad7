/* SPDX-License-Identifier: MIT */
/* What a program can learn about itself: /proc/self/exe, cmdline, comm, environ, auxv, argv. */
/* torture: args=one two */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>
extern char **environ;
static void show(const char *path) {
  char buf[65536];
  int fd = open(path, O_RDONLY);
  ssize_t n = read(fd, buf, sizeof buf);
  for (ssize_t i = 0; i < n; i++) putchar(buf[i] ? buf[i] : '|');
  puts("");
  close(fd);
}
int main(int argc, char **argv) {
  char buf[4096] = "", comm[17] = "";
  for (int i = 0; i < argc; i++) printf("[%s]", argv[i]);
  puts("");
  readlink("/proc/self/exe", buf, sizeof buf - 1);
  printf("exe %s\n", strrchr(buf, '/'));
  show("/proc/self/cmdline");
  prctl(PR_GET_NAME, comm);
  printf("name %s execfn %s pagesz %lu\n", comm, strrchr((char *)getauxval(AT_EXECFN), '/'), getauxval(AT_PAGESZ));
  printf("%s %s\n", program_invocation_short_name, getauxval(AT_SECURE) ? "secure" : "plain");
  int n = 0;
  for (char **e = environ; *e; e++) n += !strncmp(*e, "VALGRIND", 8) || !strncmp(*e, "LD_", 3) || !strncmp(*e, "TWINRUN", 7) || !strncmp(*e, "GLIBC", 5);
  printf("%d\n", n);
}
