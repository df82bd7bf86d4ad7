# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Nothing is written outside the recording's own directory.
needs_recorder
command -v strace >/dev/null || skip "no strace"
mkdir rec home
# A leak check cannot run under strace.
export ASAN_OPTIONS=detect_leaks=0
export HOME=$PWD/home TMPDIR=$PWD/home
strace -f -qq -e trace=open,openat,creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,bind \
  -o log twinrun record -o rec/t.twin -- sh -c 'true; echo x | cat; exit 3' >/dev/null || [[ $? == 3 ]]
[[ -s rec/t.twin ]]
[[ $(ls rec) == t.twin ]] || fail "left behind: $(ls rec)"
[[ -z $(ls -A home) ]] || fail "left in HOME: $(ls -A home)"
# Calls that succeeded, and would change a file, and are not about the recording.
grep -v ' = -1 ' log | grep -E 'O_WRONLY|O_RDWR|O_CREAT|mkdir|mknod|rename|unlink|link|truncate|chmod|bind\(|creat\(' |
  grep -vE 'readlink|rec/t\.twin|"/dev/(null|tty|zero)"|"/proc/self/|<unfinished' >other || true
[[ ! -s other ]] || fail "$(cat other)"
