# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A checksum over a large buffer, of which one byte differs.
needs_recorder
cat >sum.c <<'C'
#include <stdint.h>
#include <stdio.h>
static unsigned char buffer[1 << 18];
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
head -c 200000 /dev/zero | tr '\0' '\3' >good.bin
{ head -c 123456 good.bin; printf '\4'; tail -c +123458 good.bin; } >bad.bin
status 1 twinrun why './sum good.bin' './sum bad.bin' >out 2>log
begins out "bad.bin, byte 123456"
