# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Ctrl-C reaches the whole process group: the program dies or handles it, the recording is finished.
needs_recorder
interrupted() { # status program...
  local want=$1 pid got=0
  shift
  rm -f t.twin ready
  # A job of its own group, as a terminal would start it.
  set -m
  twinrun record -o t.twin -- "$@" >out 2>err &
  pid=$!
  set +m
  for _ in $(seq 200); do [[ -e ready ]] && break; sleep 0.05; done
  kill -INT -- "-$pid"
  wait "$pid" || got=$?
  ((got == want)) || fail "status $got instead of $want: $(cat err)"
  [[ -e t.twin && ! -e t.twin.partial ]] || fail "not finished: $(ls)"
  twinrun verify t.twin
}
cat >waits.c <<'C'
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  close(open("ready", O_CREAT | O_WRONLY, 0600));
  for (;;) usleep(10000);
}
C
cc -O1 -o waits waits.c
interrupted 130 ./waits
interrupted 3 bash -c 'trap "echo caught; exit 3" INT; : > ready; while :; do sleep 0.05; done'
has out caught
