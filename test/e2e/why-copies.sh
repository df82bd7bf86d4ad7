# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Copies of different lengths take different ways through memcpy(): what was copied is the cause, not how much.
needs_recorder
cat >keep.c <<'C'
#include <stdio.h>
#include <string.h>
static char kept[200];
__attribute__((noinline)) static int weigh(const char *text) { return text[0] == 'b' ? 7 : 3; }
int main(int argc, char **argv) {
  char line[200];
  FILE *in = fopen(argv[1], "r");
  size_t size = fread(line, 1, sizeof line, in);
  fclose(in);
  memcpy(kept, line, size);
  printf("%d\n", weigh(kept));
  return argc == 9;
}
C
printf 'b%030d' 0 >a.txt
for length in 5 14 31 99; do
  printf "c%0${length}d" 0 >b.txt
  for level in $(levels); do
    cc -g $level -o keep keep.c
    status 1 twinrun why './keep a.txt' './keep b.txt' >out 2>log
    has out "They differ because b.txt, line 1, column 1 has" "keep.c:4" "keep.c:10  memcpy(kept, line, size);" \
      "D2  input by read()  a.txt | b.txt, byte 0"
  done
done

# The same instructions copy, but the last vector of each copy begins elsewhere, so that a byte is in other lanes of it.
sed -i "s/text\[0\] == 'b'/text[44] == 'b'/" keep.c
printf '%044db%06d' 0 0 >a.txt
printf '%044dc%012d' 0 0 >b.txt
for level in $(levels); do
  cc -g $level -o keep keep.c
  status 1 twinrun why './keep a.txt' './keep b.txt' >out 2>log
  has out "They differ because b.txt, line 1, column 45 has" "D2  input by read()  a.txt | b.txt, byte 44"
done
