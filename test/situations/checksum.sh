# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A checksum over a large buffer, of which one byte differs: 200 kB, and 20 MB, which one call reads.
needs_recorder
cat >sum.c <<'C'
#include <stdint.h>
#include <stdio.h>
static unsigned char buffer[1 << 25];
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "rb");
  size_t size = fread(buffer, 1, sizeof buffer, in);
  uint32_t sum = 1;
  for (size_t i = 0; i < size; i++) sum = sum * 31 + buffer[i];
  printf("%08x\n", sum);
  return 0;
}
C
cc -g -O2 -o sum sum.c
for size in 200000 20000000; do
  odd=$((size / 2 + 23456))
  head -c "$size" /dev/zero | tr '\0' '\3' >good.bin
  { head -c "$odd" good.bin; printf '\4'; tail -c +"$((odd + 2))" good.bin; } >bad.bin
  status 1 twinrun why './sum good.bin' './sum bad.bin' >out 2>log
  begins out "bad.bin, byte $odd has 4 where good.bin has 3"
done
