# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Causes go from one process into another: through arguments and environment, exit statuses, pipes and files.
needs_recorder
cat >parent.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static const char *mode_of(int c) {
  return c == 'b' ? "slow" : "fast";
}
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  int c = getc(in);
  fclose(in);
  int status = 0;
  if (fork() == 0) {
    if (argv[2][0] == 'e') {
      setenv("MODE", mode_of(c), 1);
      execl("./child", "child", "x", (char *)0);
    }
    execl("./child", "child", mode_of(c), (char *)0);
    _exit(9);
  }
  wait(&status);
  return argv[2][0] == 's' ? WEXITSTATUS(status) : 0;
}
C
cat >child.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  const char *mode = getenv("MODE") ? getenv("MODE") : argv[1];
  if (mode[0] == 's') puts("slowly");
  else puts("quickly");
  return mode[0] == 's' ? 5 : 0;
}
C
echo a >a.txt
echo b >b.txt
for level in $(levels); do
  cc -g $level -w -o parent parent.c
  cc -g $level -w -o child child.c
  for way in arguments environment status; do
    status 1 twinrun why "./parent a.txt $way" "./parent b.txt $way" >out 2>log
    has out "parent.c:6  return c == 'b'" "They differ because b.txt, line 1, column 1 has"
  done
done

# A pipeline: what the last one prints wrong, the first one read.
cat >double.c <<'C'
#include <stdio.h>
int main(void) {
  for (int c; (c = getchar()) != EOF;)
    putchar(c == '1' ? '2' : c);
  return 0;
}
C
cc -g -O0 -o double double.c
echo 'x 0' >a.txt
echo 'x 1' >b.txt
for n in a b; do twinrun record -q -o "pipe-$n" -- sh -c "./double <$n.txt | cat | ./double"; done
status 1 twinrun why pipe-a pipe-b >out
has out "They differ because b.txt has '1' where a.txt has '0'" 'double.c:4'
for n in a b; do twinrun record -q -o "file-$n" -- sh -c "./double <$n.txt >middle; ./double <middle"; done
status 1 twinrun why file-a file-b >out
has out "They differ because b.txt has '1' where a.txt has '0'" 'double.c:4'
