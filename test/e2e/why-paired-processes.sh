# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Processes correspond by where they were made: one more before them shifts nothing, nor does a shell between.
needs_recorder
cat >jobs.c <<'C'
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
__attribute__((noinline)) static int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i * n;
  return sum;
}
static void start(const char *how, int n) {
  char text[16];
  sprintf(text, "%d", n);
  char *words[] = {"./job", text, NULL};
  pid_t pid = 0;
  if (how[0] == 's') posix_spawn(&pid, "./job", NULL, NULL, words, environ);
  else if ((pid = how[0] == 'v' ? vfork() : fork()) == 0) {
    if (how[0] == 'f') printf("%d\n", work(n)), fflush(stdout), _exit(0);
    execv("./job", words);
    _exit(9);
  }
  waitpid(pid, NULL, 0);
}
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  int n;
  if (argc > 3) start(argv[2], 99);
  while (fscanf(in, "%d", &n) == 1) start(argv[2], n);
  return 0;
}
C
cat >job.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]), sum = 0;
  for (int i = 0; i < n; i++) sum += i * n;
  printf("%d\n", sum);
  return 0;
}
C
echo 3 4 5 >a.txt
echo 3 4 6 >b.txt
for level in $(levels); do
  cc -g $level -w -o jobs jobs.c
  cc -g $level -w -o job job.c
  ways=(fork vfork spawn exec)
  ! is_sanitized || ways=(vfork exec)
  for how in "${ways[@]}"; do
    status 1 twinrun why "./jobs a.txt $how" "./jobs b.txt $how more" >out 2>log
    has out "They differ because b.txt, line 1, column 5 has" '"50" | "90"'
  done
done

# The same program, whoever starts it: a shell that becomes it, one that waits for it, or nobody.
starts() {
  status 1 twinrun why "$1" "$2" >out 2>log
  has out "They differ because argv[1], byte 0 is '3' in A, '4' in B" 'job.c:5'
}
starts "sh -c './job 3'" './job 4'
starts './job 3' "sh -c 'echo; ./job 4; echo x'"
for n in a b; do twinrun record -q -o "sh-$n" -- sh -c "$([[ $n == a ]] && echo 'exec ./job 3' || echo './job 4; exit')" >printed; done
twinrun align sh-a sh-b >out || true
has out "2.1       3.1"
not twinrun why './job 3' "sh -c 'echo 4'" 2>err
has err A001

# A rule that make runs through a shell in one run and directly in the other.
printf 'all: one two\none: ; @./job 3\ntwo: ; @./job $(N)\n' >direct.mk
printf 'all: one two\none: ; @./job 3 && true\ntwo: ; @./job $(N) && true\n' >shell.mk
if make --version >version; then
  status 1 twinrun why 'make -j2 -f direct.mk N=5' 'make -j2 -f shell.mk N=6' >out 2>log
  has out "They differ because argv[1], byte 0 is '5' in A, '6' in B; they were given" '"50" | "90"'
fi

# Twice the same question, twice the same answer.
twinrun record -q -o run-a -- ./jobs a.txt exec >printed
twinrun record -q -o run-b -- ./jobs b.txt exec more >printed
status 1 twinrun why run-a run-b >out
XDG_CACHE_HOME=$PWD/empty status 1 twinrun why run-a run-b >again
same out again
