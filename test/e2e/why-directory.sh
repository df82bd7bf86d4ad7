# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a relative path means was said by chdir or fchdir, of the process or of one that it came from.
needs_recorder
cat >cd.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static const char *place(int c) {
  return c == 'b' ? "other" : "first";
}
static int look(void) {
  char text[2] = "-";
  int fd = open("data.txt", O_RDONLY);
  if (fd < 0) return 7;
  read(fd, text, 1);
  printf("%c\n", text[0]);
  fflush(stdout);
  return 0;
}
int main(int argc, char **argv) {
  if (argv[1][0] == '-') return look();
  FILE *in = fopen(argv[1], "r");
  int c = getc(in), status = 0;
  char built[16];
  fclose(in);
  snprintf(built, sizeof built, "./dir%c", c);
  switch (argv[2][0]) {
    case 'c': chdir(place(c)); return look();
    case 'b': chdir(built); return look();
    case 'f': fchdir(open(built, O_RDONLY | O_DIRECTORY)); return look();
    case 'o': if (c == 'b') chdir("dirb"); return look();
    default: chdir(built);
  }
  if (fork() == 0) {
    if (argv[2][0] == 'e') execl("../cd", "cd", "-", NULL);
    _exit(look());
  }
  wait(&status);
  return WEXITSTATUS(status);
}
C
mkdir first other dira dirb
echo one >first/data.txt
echo two >dira/data.txt
echo six >dirb/data.txt
echo top >data.txt
echo a >a.txt
echo b >b.txt
# explains WAY LINE: not the file, but who chose where it is.
explains() {
  status 1 twinrun why "./cd a.txt $1" "./cd b.txt $1" >out 2>log
  has out "because b.txt, line 1, column 1 has" "a.txt" "$2"
}
for level in $(levels); do
  cc -g $level -w -o cd cd.c
  # `other` has no such file: it cannot be opened.
  explains c 'return c =='
  for way in b f inherited exec; do explains $way 'snprintf(built'; done
done
cc -g -O0 -w -o cd cd.c
explains o "if (c == 'b') chdir"
# Where both are in one place, the file is to blame.
twinrun record -q -o same-a -- ./cd a.txt 'b' >said
echo 2wo >dira/data.txt
twinrun record -q -o same-b -- ./cd a.txt 'b' >said
status 1 twinrun why same-a same-b >out
has out "They differ because data.txt, line 1, column 1 has"
XDG_CACHE_HOME=$PWD/empty status 1 twinrun why same-a same-b >again
same out again
