# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The roots of differences: files read, read at an offset and mapped, arguments, the environment, pipes.
needs_recorder
cat >prog.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char c = 0;
  int fd = argc > 2 ? open(argv[2], O_RDONLY) : 0;
  if (strcmp(argv[1], "read") == 0) {
    char buffer[16];
    if (read(fd, buffer, sizeof buffer) > 3) c = buffer[3];
  } else if (strcmp(argv[1], "pread") == 0) {
    if (pread(fd, &c, 1, 5) != 1) return 9;
  } else if (strcmp(argv[1], "mmap") == 0) {
    char *p = mmap(NULL, 8, PROT_READ, MAP_PRIVATE, fd, 0);
    c = p[6];
  } else if (strcmp(argv[1], "pipe") == 0) {
    if (read(0, &c, 1) != 1) return 9;
  } else if (strcmp(argv[1], "environment") == 0) {
    c = getenv("SETTING")[0];
  } else {
    c = argv[1][1];
  }
  if (c == 'x') return 3;
  puts("fine");
  return 0;
}
C
# A small C library: the system's takes most of the time to look at, five times.
musl-gcc -g -O0 -static -o prog prog.c
cc -g -O0 -o dynamic prog.c
printf 'abcdefghij\n' >good
printf 'abcxefghij\n' >bad
status 1 twinrun why './prog read good' './prog read bad' >out 2>/dev/null
has out "They differ because bad, line 1, column 4 has" "prog.c:25  if (c == 'x') return 3;"
printf 'abcdexghij\n' >bad
status 1 twinrun why './prog pread good' './prog pread bad' >out 2>/dev/null
has out "They differ because bad, byte 5 has 'x' where good has 'f'"
printf 'abcdefxhij\n' >bad
status 1 twinrun why './prog mmap good' './prog mmap bad' >out 2>/dev/null
has out "bad, byte 6 has 'x' where " "good has 'g'"
status 1 twinrun why './prog -a' './prog -x' >out 2>/dev/null
has out "They differ because argv[1] is"
SETTING=a twinrun record -q -o a -- ./dynamic environment >/dev/null
SETTING=x status 3 twinrun record -q -o x -- ./dynamic environment
status 1 twinrun why a x >out
has out "They differ because environment variable SETTING is"
echo y | twinrun record -q -o py -- ./prog pipe >/dev/null
echo x | status 3 twinrun record -q -o px -- ./prog pipe
status 1 twinrun why py px >out
has out "They differ because standard input, line 1, column 1 has"

# An input that only one of the runs has bytes of is told as what it is.
printf x | status 3 twinrun record -q -o full -- ./prog pipe
status 9 twinrun record -q -o empty -- ./prog pipe </dev/null
status 1 twinrun why full empty >out
has out "standard input is empty in B; in A it begins with"
not grep 'because of nothing' out
