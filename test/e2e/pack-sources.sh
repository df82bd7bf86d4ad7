# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A packed recording keeps the text of its sources; where they are now can be told; what changed since is said.
needs_recorder
mkdir -p build/csv
cat >build/csv/sum.h <<'C'
static inline int twice(int value) { return value * 2; }  /* in the header */
C
cat >build/csv/sum.c <<'C'
#include "sum.h"
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  int number = atoi(words[1]);
  int answer = twice(number) + 1;
  return answer == 7 ? 0 : count;  /* as it was built */
}
C
cat >build/csv/unused.c <<'C'
int unused(void) { return 1; }
C
(cd build/csv && cc -g -O0 -o ../../sum "$PWD/sum.c" "$PWD/unused.c")
twinrun record -q -o a.twin -- ./sum 3
status 2 twinrun record -q -o b.twin -- ./sum 4

# From another place, as on another machine. Without the sources there are places only.
mv build moved
rm -f a.twin.why-*
status 1 twinrun why a.twin b.twin >out 2>log
has out "sum.c:7"
lacks out "as it was built"
status 1 twinrun why --source-dir "$PWD/build=$PWD/moved" a.twin b.twin >out 2>log
has out "as it was built"
twinrun show D1 a.twin b.twin --source-dir "$PWD/build/csv=$PWD/moved/csv" >out
has out "as it was built"
status 1 twinrun report --source-dir "$PWD/build=$PWD/moved" a.twin b.twin -o page.html >out 2>log
has page.html "as it was built"
status 2 twinrun why --source-dir nowhere a.twin b.twin >out 2>log
has log "C003" "OLD=NEW"
status 2 twinrun why --source-dir /a=/nowhere a.twin b.twin >out 2>log
has log "C003" "/nowhere"

# Packed: without anything but the recordings. What was not executed is not packed, nor what the system brings.
twinrun pack a.twin >out
has out "missing" "sum.c"
for run in a b; do
  twinrun pack --source-dir "$PWD/build=$PWD/moved" --json $run.twin >pack.json
  json pack.json '[s["path"].rsplit("/", 1)[1] for s in d["sources"]] == ["sum.c", "sum.h"]'
  json pack.json 'all(s["packed"] and not s["newer"] for s in d["sources"])'
  twinrun verify $run.twin >/dev/null
done
rm -r moved sum
status 1 twinrun why a.twin b.twin >out 2>log
has out "sum.c:7" "as it was built"
lacks log "changed since"
# Packing again keeps what is there though the files are gone.
twinrun pack -o again.twin a.twin >out
has out "packed 2 of 2 source files"

# A source that was changed since.
mkdir -p build
echo 'int main(int count, char **words) { return words[1][0] == 51 ? 0 : count; }' >build/one.c
cc -g -o one "$PWD/build/one.c"
twinrun record -q -o c.twin -- ./one 3
status 2 twinrun record -q -o d.twin -- ./one 4
echo 'int main(int count, char **words) { return words[1][0] == 52 ? 0 : count; }' >build/one.c
status 1 twinrun why c.twin d.twin >out 2>log
has log "one.c: changed since the runs began"
twinrun pack c.twin >out
has out "newer" "one.c"

# Of many that are gone the directory is named.
mkdir -p many/deep
for name in a b deep/c deep/d; do echo "int ${name##*/}_(void) { return 1; }" >many/$name.c; done
echo 'int a_(void), b_(void), c_(void), d_(void); int main(void) { return a_() + b_() + c_() + d_() - 4; }' >main.c
cc -g -o many-files "$PWD/main.c" "$PWD"/many/*.c "$PWD"/many/deep/*.c
twinrun record -q -o m.twin -- ./many-files
rm -r many
twinrun pack m.twin >out
has out "missing  4 source files below $PWD/many (--source-dir" "packed 1 of 5 source files"
