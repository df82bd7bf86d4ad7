/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Valgrind's core starts for each program that a recorded process executes: its own command
 * line, then the program and its arguments. We start the recorder anew on the program; a program it
 * cannot run (of another architecture) runs by itself, unrecorded. */
#include <elf.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <limits.h>
#include <errno.h>

extern char** environ;

/* -1: not an ELF file. */
static int elf_class(const char* path) {
  unsigned char head[EI_NIDENT];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t got = read(fd, head, sizeof head);
  close(fd);
  if (got != (ssize_t)sizeof head || memcmp(head, ELFMAG, SELFMAG) != 0) return -1;
  return head[EI_CLASS];
}

int main(int argc, char** argv) {
  char self[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
  int program = 1;
  while (program < argc && argv[program][0] == '-') program++;
  if (size < 0 || program == argc) {
    fprintf(stderr, "twinrun: this program is started by `twinrun record`\n");
    return 125;
  }
  self[size] = 0;
  char launcher[PATH_MAX + 32];
  snprintf(launcher, sizeof launcher, "VALGRIND_LAUNCHER=%s", self);
  char directory[PATH_MAX + 32];
  snprintf(directory, sizeof directory, "%s", dirname(self));

  if (elf_class(argv[program]) == ELFCLASS32) {
    unsetenv("VALGRIND_LIB");
    execv(argv[program], argv + program);
    return errno == ENOENT ? 127 : 126;
  }
  char tool[PATH_MAX + 64];
  snprintf(tool, sizeof tool, "%s/twinrun-amd64-linux", directory);
  setenv("VALGRIND_LIB", directory, 1);
  putenv(launcher);
  argv[0] = tool;
  execv(tool, argv);
  fprintf(stderr, "twinrun: cannot start %s: %s\n", tool, strerror(errno));
  return 125;
}
