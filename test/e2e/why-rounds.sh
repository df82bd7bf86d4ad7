# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A value that is carried through many rounds of the same code: the byte that came in first is told, not the limit.
needs_recorder
cat >crc.c <<'C'
#include <stdint.h>
#include <stdio.h>
static uint32_t table[256];
static void make_table(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
}
static uint32_t update(uint32_t crc, const unsigned char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    crc = table[(crc ^ p[i]) & 255] ^ (crc >> 8);
  return crc;
}
int main(int argc, char **argv) {
  unsigned char buffer[4096];
  size_t n;
  uint32_t crc = ~0u;
  FILE *f = fopen(argv[argc - 1], "rb");
  make_table();
  while ((n = fread(buffer, 1, sizeof buffer, f)) > 0) crc = update(crc, buffer, n);
  printf("%08x\n", ~crc);
  return 0;
}
C
# Two sums that one function makes in turns, at other places: the one that is wrong must be followed.
cat >turns.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct sum { unsigned long value, count; };
__attribute__((noinline)) static void add(struct sum *s, unsigned long x) { s->value = s->value * 31 + x; s->count++; }
int main(int argc, char **argv) {
  static struct sum first, second;
  unsigned long skip = strtoul(argv[1], 0, 10), other = strtoul(argv[2], 0, 10);
  for (unsigned long i = 0; i < 30000; i++) {
    add(&first, i == skip ? 7 : i);
    add(&second, i == other ? 9 : i);
  }
  printf("%lu\n", argc > 3 ? first.value : second.value);
  return 0;
}
C
# The wrong one of many: a list is walked, whose nodes have other addresses but mean the same.
cat >walk.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int value; };
int main(int argc, char **argv) {
  int bad = atoi(argv[1]), sum = 0;
  char *pad = malloc((size_t)atoi(argv[2]));
  struct node *list = 0;
  for (int i = 0; i < 3000; i++) {
    struct node *n = malloc(sizeof *n);
    n->next = list;
    n->value = i;
    list = n;
  }
  for (struct node *n = list; n; n = n->next)
    if (n->value == bad)
      n->value = -1;
  for (struct node *n = list; n; n = n->next) sum += n->value;
  printf("%d %d\n", sum, argc + !pad);
  return 0;
}
C
head -c 150000 /dev/zero | tr '\0' 'a' >good.bin
{ head -c 1234 good.bin; printf b; tail -c +1236 good.bin; } >bad.bin
for level in 0 2; do
  ! is_sanitized || ((level == 2)) || continue
  gcc -g -O$level -o crc crc.c
  status 1 twinrun why './crc good.bin' './crc bad.bin' >out 2>/dev/null
  has out 'They differ because bad.bin, line 1, column 1235 has'
  grep -E '^  .*crc\.c:13 .*\(1[0-9]{5} times round\)' out || {
    cat out
    exit 1
  }
  gcc -g -O$level -o turns turns.c
  # argv[2] makes the second sum wrong from the middle on; the first one is wrong much earlier, and is not asked about.
  status 1 twinrun why './turns 500 15000' './turns 600 15001' >out 2>/dev/null
  has out 'They differ because argv[2]'
  status 1 twinrun why './turns 15000 500 x' './turns 15001 600 x' >out 2>/dev/null
  has out 'They differ because argv[1]'
  gcc -g -O$level -o walk walk.c
  status 1 twinrun why './walk 100 16' './walk 2900 4000' >out 2>/dev/null
  has out 'They differ because argv[1]'
  # The same answer twice.
  status 1 twinrun why './walk 100 16' './walk 2900 4000' 2>/dev/null | sed 's/walk-[0-9]*//g' >again
  sed 's/walk-[0-9]*//g' out | cmp - again
done
