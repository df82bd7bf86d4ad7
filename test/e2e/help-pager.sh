# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Output on a terminal goes through the pager that the user has, in colour; elsewhere it does not. An error is JSON too
# when JSON was asked for.

# on_terminal COMMAND: what a terminal of 80 columns shows.
on_terminal() { script -qec "stty cols 80 rows 24; $1" /dev/null </dev/null | tr -d '\r'; }

export TERM=xterm
mark='sed s/^/paged:/'
TWINRUN_PAGER=$mark on_terminal 'twinrun help' >out
has out 'paged:'
not grep -v '^paged:' out

# The first variable that is set counts. None, or cat, is no pager; one that is not there loses nothing.
PAGER=$mark TWINRUN_PAGER='' on_terminal 'twinrun help' >out
has out ' why '
not grep 'paged:' out
env -u TWINRUN_PAGER PAGER="$mark" script -qec 'twinrun help' /dev/null </dev/null >out
has out 'paged:'
TWINRUN_PAGER=no-such-pager on_terminal 'twinrun help' >out
has out ' why '
TERM=dumb TWINRUN_PAGER=$mark on_terminal 'twinrun help' >out
not grep 'paged:' out
TWINRUN_PAGER=$mark twinrun help >out
not grep 'paged:' out

needs_recorder
twinrun record -q -o long -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo $i; done' >/dev/null
# Colours, width and exit status are as without a pager; errors go the same way.
TWINRUN_PAGER='cat' on_terminal 'twinrun info long; echo status $?' >plain
TWINRUN_PAGER='sed s/^//' on_terminal 'twinrun info long; echo status $?' >paged
has plain $'\e['
same plain paged
TWINRUN_PAGER=$mark on_terminal 'twinrun info no-such; echo status $?' >out
has out 'S003' 'status 2'

# A user who leaves the pager early ends the verb, quietly.
TWINRUN_PAGER='head -1' on_terminal 'twinrun dump long; echo done' >out
(($(wc -l <out) <= 3))
not grep 'error\[' out

# Errors as JSON, beside what a person reads.
status 2 twinrun info --json no-such >out 2>err
json out 'd["schema"] == "twinrun.error.v1" and d["verb"] == "info" and d["code"] == "S003" and d["message"]'
has err 'error[S003]'
status 2 twinrun why --json >out 2>/dev/null
json out 'd["verb"] == "why" and d["code"] == "C003"'
status 2 twinrun info no-such >out 2>/dev/null
[[ ! -s out ]]
