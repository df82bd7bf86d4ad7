# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# No escape byte in files, with NO_COLOR or on a dumb terminal; colour on a real one.
command -v script >/dev/null || skip "no script(1)"
on_terminal() { script -qec "$*" /dev/null </dev/null >out || true; }
escape=$(printf '\033')
twinrun nonsense 2>out || true
not grep -q "$escape" out
on_terminal env TERM=xterm NO_COLOR=1 twinrun nonsense
not grep -q "$escape" out
on_terminal env TERM=dumb twinrun nonsense
not grep -q "$escape" out
on_terminal env TERM=xterm NO_COLOR= twinrun nonsense
grep -q "$escape\[31merror\[C001\]" out
