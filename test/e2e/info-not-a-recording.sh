# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Files that are no recordings: exit 2, the reason and what to do; never a crash.
: >empty.twin
echo "just text, long enough to be a header, but nothing like one: xxxxxxxxxxxxxxxxxxxxxx" >text.twin
head -c 100000 /dev/urandom >random.twin
printf 'TWINRUN\n' >magic.twin
mkdir dir.twin
for f in empty text random magic dir missing; do
  for verb in info verify "dump --events" pack; do
    # shellcheck disable=SC2086
    status 2 twinrun $verb ./$f.twin >out 2>err
    has err "error[" "$f.twin"
  done
done
