# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Debug information from where the user says, and from a server.
needs_recorder
unset DEBUGINFOD_URLS
cat >prog.c <<'C'
#include <stdlib.h>
int main(int count, char **words) {
  int number = atoi(words[1]);
  return number == 3 ? 0 : count;
}
C
cc -g -Wl,--build-id=sha1 -o prog prog.c
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug prog prog.debug
cp prog whole
strip prog
twinrun record -q -o a.twin -- ./prog 3
status 2 twinrun record -q -o b.twin -- ./prog 4
why() {
  rm -f a.twin.why-*
  status 1 twinrun why "$@" a.twin b.twin >out 2>log
}
why
lacks out "prog.c"
has log "prog: there is no debug information"

mkdir -p by-id/.build-id/"${id:0:2}" by-name before other
cp prog.debug by-id/.build-id/"${id:0:2}/${id:2}.debug"
cp prog.debug by-name/prog.debug
cp whole before/prog
for directory in by-id by-name before; do
  why --debug-dir $directory
  has out "prog.c:4" "number"
done
# Of another build: named, not used.
sed 's/== 3/== 5/' prog.c >other.c
cc -g -Wl,--build-id=sha1 -o other/prog other.c
why --debug-dir other
lacks out "other.c" "prog.c"
has log "belongs to another build"
why --debug-dir other --debug-dir by-id
has out "prog.c:4"
status 2 twinrun why --debug-dir nowhere a.twin b.twin >out 2>log
has log "C003" "nowhere"
twinrun bt --debug-dir by-id --at 1:1 a.twin >out 2>&1 || true

# A server, as elfutils' client asks it. Its cache is ours.
ldconfig -p | grep -q 'libdebuginfod\.so\.1' || skip "the rest: there is no libdebuginfod.so.1"
mkdir -p served/buildid/"$id" cache
cp prog.debug served/buildid/"$id"/debuginfo
python3 - >port <<'PY' &
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="served")
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_address[1], flush=True)
server.serve_forever()
PY
server=$!
trap 'kill $server' EXIT
until [[ -s port ]]; do sleep 0.05; done
export DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_URLS
DEBUGINFOD_URLS=http://127.0.0.1:$(<port)/
why
has out "prog.c:4" "number"
# From the cache from then on.
kill $server
wait $server || true
trap - EXIT
why
has out "prog.c:4"
# Nobody has it: as before, and nothing hangs or fails.
export DEBUGINFOD_CACHE_PATH=$PWD/empty
why
lacks out "prog.c"
