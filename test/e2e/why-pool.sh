# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Where an address differs, what was put there is followed, too: a free list that hands out another element must not
# hide that another value went into it.
needs_recorder
cat >slots.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct slot { struct slot *next; int used, price; };
static struct slot *free_list;
__attribute__((noinline)) static struct slot *take(void) {
  if (!free_list) {
    struct slot *all = calloc(64, sizeof *all);
    for (int i = 0; i < 63; i++) all[i].next = all + i + 1;
    free_list = all;
  }
  struct slot *out = free_list;
  free_list = out->next;
  out->used = 1;
  return out;
}
__attribute__((noinline)) static int price_of(int kind) {
  return kind == 'b' ? 30 : 20;
}
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  int kind = getc(in);
  fclose(in);
  if (kind == 'b') take()->price = 0;
  struct slot *item = take();
  item->price = price_of(kind);
  struct slot *copy = take();
  copy->price = item->price;
  printf("%d\n", copy->price);
  return 0;
}
C
echo a >a.txt
echo b >b.txt
for level in $(levels); do
  cc -g $level -o slots slots.c
  status 1 twinrun why './slots a.txt' './slots b.txt' >out 2>log
  has out "They differ because b.txt, line 1, column 1 has" "slots.c:17  return kind == 'b' ? 30 : 20;"
  # The list itself only says where.
  if grep -q 'slots.c:11' <(grep '^   |  ' out | grep -v also); then fail "the way leads through the free list"; fi
done
