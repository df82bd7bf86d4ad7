/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Valgrind's core starts for each program that a recorded process executes: its own command
 * line, then the program and its arguments. We start the recorder anew on the program. */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <limits.h>
#include <errno.h>

/* /proc/self/exe and its like. */
static int names_itself(const char* path) {
  char own[64];
  snprintf(own, sizeof own, "/proc/%d/exe", (int)getpid());
  return strcmp(path, "/proc/self/exe") == 0 || strcmp(path, "/proc/thread-self/exe") == 0 || strcmp(path, own) == 0;
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

  /* The program that executed itself is the one we were told of, not this one. */
  for (int i = 1; i < program; i++)
    if (strncmp(argv[i], "--self=", 7) == 0 && names_itself(argv[program])) argv[program] = argv[i] + 7;
  char tool[PATH_MAX + 64];
  snprintf(tool, sizeof tool, "%s/twinrun-amd64-linux", directory);
  setenv("VALGRIND_LIB", directory, 1);
  putenv(launcher);
  argv[0] = tool;
  execv(tool, argv);
  fprintf(stderr, "twinrun: cannot start %s: %s\n", tool, strerror(errno));
  return 125;
}
