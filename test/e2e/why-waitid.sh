# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a parent is told of its child's end leads to who made it end so, whatever call tells it and however it ended.
needs_recorder
cat >parent.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int rule(int c) {
  return c == 'b' ? 1 : 0;
}
static void child(int bad, const char *how) {
  if (!strcmp(how, "exit")) _exit(bad ? 3 : 4);
  if (!strcmp(how, "kill")) kill(getpid(), bad ? SIGTERM : SIGKILL);
  if (!strcmp(how, "raise") && bad) raise(SIGTERM);
  if (!strcmp(how, "abort") && bad) abort();
  if (!strcmp(how, "crash") && bad) *(volatile int *)0 = 1;
  while (!strcmp(how, "killed")) pause();
  _exit(0);
}
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  int c = getc(in), status = 0, told = 0;
  fclose(in);
  pid_t pid = fork();
  if (pid == 0) child(rule(c), argv[2]);
  if (!strcmp(argv[2], "killed")) kill(pid, rule(c) ? SIGTERM : SIGKILL);
  siginfo_t info;
  struct rusage used;
  switch (argv[3][0]) {
    case 'i': waitid(P_PID, pid, &info, WEXITED); told = info.si_status; break;
    case 'c': waitid(P_ALL, 0, &info, WEXITED); told = info.si_status * 3 + info.si_code; break;
    case 'p': waitpid(pid, &status, 0); told = status; break;
    case '4': wait4(-1, &status, 0, &used); told = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status); break;
  }
  putchar('A' + told % 50);
  return 0;
}
C
echo a >a.txt
echo b >b.txt
explains() {
  status 1 twinrun why --output 1:0 "./parent a.txt $1 $2" "./parent b.txt $1 $2" >out 2>log
  has out "They differ because b.txt, line 1, column 1 has" \
    "parent.c:9  return c == 'b'"
}
cc -g -O0 -w -o parent parent.c
explains exit i
explains kill c
explains crash p
explains killed 4
if ! is_sanitized; then
  for how in kill raise abort crash killed; do explains "$how" i; done
  for how in exit crash killed; do explains "$how" c; done
  for how in raise abort killed; do explains "$how" p; done
  for how in kill crash; do explains "$how" 4; done
  cc -g -O2 -w -o parent parent.c
  for how in exit kill raise; do explains "$how" i; done
  explains crash p
fi

# Twice the same question, twice the same answer.
for n in a b; do twinrun record -q -o "end-$n" -- ./parent $n.txt killed c >told; done
status 1 twinrun why --output 1:0 end-a end-b >out
XDG_CACHE_HOME=$PWD/empty status 1 twinrun why --output 1:0 end-a end-b >again
same out again

# What is told beside the status is no doing of the child.
cat >other.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  siginfo_t info;
  int slow = atoi(argv[1]), status;
  pid_t pid = fork();
  if (pid == 0) {
    if (slow) for (;;) pause();
    _exit(7);
  }
  if (slow) kill(pid, SIGSTOP);
  waitpid(pid, &status, WUNTRACED);
  printf("%x\n", status);
  if (slow) kill(pid, SIGKILL);
  return 0;
}
C
cc -g -O0 -w -o other other.c
status 1 twinrun why --output 1:0 "./other 0" "./other 1" >out 2>log
has out "wait4()"
