# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Variables are asked for and named by the source's words, at -O0 and -O2, and through a fork.
needs_recorder
cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
struct node { struct node *next; int value; };
struct list { struct node *head; int count; };
static struct list all;
__attribute__((noipa)) static void add(struct list *l, int v) {
  struct node *n = malloc(sizeof *n);
  n->value = v;
  n->next = l->head;
  l->head = n;
  l->count++;
}
__attribute__((noipa)) static int sum(const struct list *l) {
  int s = 0;
  for (struct node *p = l->head; p; p = p->next) s += p->value;
  return s;
}
__attribute__((noipa)) void stop(int x) { __asm__ volatile("nop" : : "r"(x)); }
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) add(&all, atoi(argv[i]));
  if (fork() == 0) {
    int total = sum(&all);
    stop(total);
    _exit(total);
  }
  int status;
  wait(&status);
  return WEXITSTATUS(status);
}
C
for level in $(levels | tr -d O-); do
  cc -g -O$level -o prog prog.c
  status 42 twinrun record -o run$level -- ./prog 2 40
  # The child, in front of the call of stop.
  step=$(twinrun dump --process 2 run$level | grep -B1 ' stop  ' | awk 'NR == 1 { print $1 }')
  test -n "$step"
  twinrun who --at "$step" --what total run$level >out
  has out "total at" "42" "prog.c:17"
  # What the parent did is found behind the fork.
  twinrun who --at "$step" --what 'all.head->next->value' run$level >out
  has out "n->value (0x" "  2  1.1." "prog.c:10"
  twinrun who --at "$step" --what all.count --json run$level | python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
assert rows[0]["variable"] in ("l->count", "all.count"), rows[0]
assert rows[0]["shown"] == "2" and rows[0]["position"].startswith("1.1."), rows[0]
'
  twinrun slice --at "$step" --what total run$level >out
  has out "sum+"
  twinrun dump --values --range "$(twinrun dump --process 2 run$level | grep ' sum  ' | awk 'NR == 1 { print $1 }')..+40" run$level >out
  has out "p->value=40" "p->next=0x" "p->value=2" "=42"
  # Places of the source instead of steps.
  twinrun who --at 'add#2' --what v run$level >out
  has out "v at" " 40  "
  twinrun who --at prog.c:25 --what total run$level >out
  has out "total at 2.1." "42"
  status 2 twinrun who --at 'add#3' --what v run$level 2>err
  has err "V004" "executed 2 times"
  status 2 twinrun who --at prog.c:999 --what v run$level 2>err
  has err "V004" "no code for line"
  status 2 twinrun who --at "$step" --what all.nothing run$level 2>err
  has err "P003"
done
# What pack puts into the recording serves as well as the files did.
cc -g -O0 -o prog prog.c
status 42 twinrun record --no-binaries -o run -- ./prog 2 40
twinrun pack -o ./packed run
step=$(twinrun dump --process 2 run | grep -B1 ' stop  ' | awk 'NR == 1 { print $1 }')
twinrun who --at "$step" --what total run >before
rm prog prog.c
twinrun who --at "$step" --what total ./packed >after
cmp before after
# Without the file there are no variables, and it is said.
status 2 twinrun who --at "$step" --what total run 2>err
has err "V002" "no debug information"
