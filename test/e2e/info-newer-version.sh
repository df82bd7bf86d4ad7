# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A recording of a newer version: one line that names both versions and says to update.
needs_recorder
twinrun record -o t.twin -- true
cat >patch.cc <<'C'
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "format/trace_format.h"
#include <cstdio>
int main(int, char **argv) {
  TwFileHeader h;
  std::FILE *f = std::fopen(argv[1], "r+b");
  if (!f || std::fread(&h, sizeof h, 1, f) != 1) return 1;
  h.version = h.min_reader = 4242;
  h.checksum = XXH3_64bits(&h, offsetof(TwFileHeader, checksum));
  std::rewind(f);
  return std::fwrite(&h, sizeof h, 1, f) != 1 || std::fclose(f) != 0;
}
C
g++ -include cstddef -I"$TWINRUN_SOURCE" -o patch patch.cc
cp t.twin newer.twin
./patch newer.twin
for verb in info verify "dump --events"; do
  # shellcheck disable=SC2086
  status 2 twinrun $verb ./newer.twin >out 2>err
  has err "error[" "newer.twin" "4242" "= help:"
done
# A damaged header is something else.
cp t.twin damaged.twin
printf '\x07' | dd of=damaged.twin bs=1 seek=9 conv=notrunc status=none
status 2 twinrun info ./damaged.twin 2>err
has err "error[" "damaged"
