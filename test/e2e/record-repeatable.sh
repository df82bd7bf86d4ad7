# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Two recordings of one program hold the same addresses, whatever the size of the environment.
needs_recorder
cat >t.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *work(void *arg) { long s = 0; for (int i = 0; i < 50000; i++) s += i ^ (long)arg; return (void *)s; }
int main(void) {
  pthread_t t[3];
  int local;
  for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, work, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  printf("%p %p %p\n", (void *)&local, (void *)main, malloc(10));
}
C
gcc -O1 -pthread -o t t.c
twinrun record -o a.twin -- ./t >out1
twinrun record -o b.twin -- ./t >out2
EXTRA=$(head -c 3000 /dev/zero | tr '\0' x) twinrun record -o c.twin -- ./t >out3
same out1 out2
same out1 out3
# Without threads, to the last instruction.
count() { twinrun info --json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["instructions"])'; }
twinrun record -o d.twin -- sort /etc/services >/dev/null
twinrun record -o e.twin -- sort /etc/services >/dev/null
[[ $(count d.twin) == $(count e.twin) ]] || fail "instructions: $(count d.twin) and $(count e.twin)"
