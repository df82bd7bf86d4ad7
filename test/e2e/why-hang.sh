# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A run that does not end: stopped by --timeout or by a signal from outside, which is no crash.
needs_recorder
tiny_header
cat >prog.c <<'C'
#include "tiny.h"
static void rest(long seconds, long nanoseconds) {
  long time[2] = {seconds, nanoseconds};
  call(35, (long)time, 0, 0);
}
int main(int argc, char **argv) {
  int n = argv[2][0] - '0';
  print("ready\n", 6);
  switch (argv[1][0]) {
    case 'l':
      for (int round = 0; round < 3; round++) {
        int left = 5;
        while (left != 0) {
          if (round == 2 && left == n) left = 2;
          left -= 1 + (round == 2 && left == n - 1);
          rest(0, 3000000);
        }
      }
      break;
    case 's': rest(n * 1000, 0); break;
    case 'k': if (n > 1) call(62, call(39, 0, 0, 0), 15, 0); break;
    case 'a': if (n > 1) { call(37, 1, 0, 0); for (;;) rest(0, 3000000); } break;
  }
  return 0;
}
C
cc -static -nostdlib -g -O0 -o prog prog.c
# Both end in time.
status 0 twinrun why --timeout 60 './prog l 9' './prog l 9' >out 2>/dev/null
has out "No difference"
# The last branch by which A left the loop, in its third round. B has time to get there, too.
limit=$(patience twinrun record -q -o fine -- ./prog l 9)
status 1 twinrun why --timeout "$limit" './prog l 9' './prog l 2' >out 2>err
has err "which did not end in time"
tells out "B  ./prog l 2 did not end within $limit s" \
  "D1  end of the program  exit status 0 | did not end within $limit s" \
  "prog.c:13  while (left != 0) {" "They differ because argv[2] is"
status 1 twinrun why --json @1 @ >json
json json 'd["target"]["kind"] == "hang"'
twinrun verify @ >/dev/null
twinrun info @ >info
has info "out of time" "the program did not end within $limit s"
# A run that waits in a system call: for what the call was given.
status 1 twinrun why --timeout "$limit" './prog s 0' './prog s 9' >out 2>/dev/null
tells out "D1  end of the program  exit status 0 | did not end within $limit s" "They differ because argv[2] is"
# The processes that it has started are killed, too. The mark tells them from those of another run of this test.
mark=$((100000 + $$))
status 124 twinrun record -q -o tree --timeout 2 -- sh -c "./prog s 9 $mark & wait" >/dev/null
not pgrep -f "prog s 9 $mark" || fail "a child runs on"
twinrun verify tree >/dev/null
# Signals: from another process, from a timer, from itself.
# How often a process has waited for something, its rests among that.
waits() { sed -n 's/^voluntary_ctxt_switches:\s*//p' "/proc/$1/status"; }
outside() { # name signal
  rm -f ready # that of the run before
  twinrun record -q -o "$1" -- ./prog l 2 >ready &
  local recorder=$!
  until [[ -s ready ]]; do sleep 0.05; done
  local program before
  program=$(pgrep -P "$recorder")
  # Well into its loop: the two rounds that end have ten rests.
  before=$(waits "$program")
  until (($(waits "$program") > before + 60)); do sleep 0.05; done
  kill -"$2" "$program"
  wait "$recorder" || true
  status 1 twinrun why --json fine "$1" >json
  json json 'd["target"]["kind"] == "hang" and d["b"]["end"] == "stopped by SIG'"$2"'"'
  json json '"argv[2] is" in d["verdict"]'
}
outside terminated TERM
outside killed KILL
twinrun record -q -o once -- ./prog a 1 >/dev/null
status 142 twinrun record -q -o alarmed -- ./prog a 2 >/dev/null
status 1 twinrun why --json once alarmed >json
json json 'd["target"]["kind"] == "hang" and d["target"]["b"] == "stopped by SIGALRM"'
status 1 twinrun why './prog k 1' './prog k 2' >out 2>/dev/null
has out "| killed by SIGTERM" "prog.c:21  case 'k'"
status 1 twinrun why --json @1 @ >json
json json 'd["target"]["kind"] == "exit"'
# Wrong use.
status 2 twinrun why --timeout soon fine killed 2>err
has err "error[C003]" "'soon' is no time"
