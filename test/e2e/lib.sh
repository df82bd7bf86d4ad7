# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What every e2e script may use. A script runs with `set -euo pipefail`: any command that fails
# fails the test.

# not COMMAND...: succeeds when the command fails, but not when it dies of a signal.
not() {
  local status=0
  "$@" || status=$?
  ((status != 0 && status < 128))
}

# status N COMMAND...: succeeds when the command exits with N.
status() {
  local want=$1 got=0
  shift
  "$@" || got=$?
  ((got == want)) || fail "exit status $got instead of $want: $*"
}

# is_sanitized: whether twinrun is a sanitized build, which takes some times as long. Long lists of variants are tried in
# part then: all of them are tried in the other build, and in both by `./dev test --all`.
is_sanitized() {
  [[ $TWINRUN_BUILD == *san && ${TWINRUN_TEST_ALL:-0} != 1 ]]
}

# levels: how programs are compiled, one way or another; a sanitized build tries one.
levels() {
  if is_sanitized; then echo -O0; else echo -O0 -O2; fi
}

# skip REASON: ends the script as skipped.
skip() {
  echo "skipped: $*"
  exit 77
}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# has FILE TEXT...: the file contains each text literally.
has() {
  local file=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" || {
      cat "$file" >&2
      fail "'$text' is not in $file"
    }
  done
}

# lacks FILE TEXT...: the file contains none of the texts.
lacks() {
  local file=$1 text
  shift
  for text in "$@"; do
    if grep -qF -- "$text" "$file"; then
      cat "$file" >&2
      fail "'$text' is in $file"
    fi
  done
}

# tells FILE TEXT...: like has, but any number of blanks is as good as one: for what stands in columns.
tells() {
  local file=$1 text
  shift
  for text in "$@"; do
    tr -s ' ' <"$file" | grep -qF -- "$(tr -s ' ' <<<"$text")" || {
      cat "$file" >&2
      fail "'$text' is not in $file"
    }
  done
}

# begins FILE TEXT...: each text is in the first five lines, which somebody in a hurry reads.
begins() {
  head -n 5 "$1" >"$1.head"
  has "$1.head" "${@:2}" || {
    cat "$1" >&2
    return 1
  }
}

# same FILE FILE: equal bytes.
same() {
  cmp -s "$1" "$2" || {
    diff "$1" "$2" >&2 || true
    fail "$1 and $2 differ"
  }
}

# json FILE PYTHON-EXPRESSION: the file is valid JSON and the expression over `d` is true.
json() {
  python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else "false: " + sys.argv[2])' "$1" "$2"
}

# patience COMMAND...: runs the command and prints how many seconds are plenty for it on this machine as it is now.
patience() {
  local begin=${EPOCHREALTIME/./}
  "$@" >/dev/null
  echo $((2 + 4 * (${EPOCHREALTIME/./} - begin) / 1000000))
}

# needs_recorder: skips while no recorder was built.
needs_recorder() {
  [[ -x $(dirname "$TWINRUN")/../libexec/twinrun/twinrun-amd64-linux ]] || skip "no recorder"
}

# Writes tiny.h, for programs without a C library (cc -static -nostdlib): there is little to align then.
tiny_header() {
  cat >tiny.h <<'C'
__asm__(".globl _start\n_start: mov (%rsp), %rdi\n lea 8(%rsp), %rsi\n call main\n"
        "mov %eax, %edi\n mov $231, %eax\n syscall\n");
static inline long call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
static inline void print(const char *text, long size) { call(1, 1, (long)text, size); }
C
}
