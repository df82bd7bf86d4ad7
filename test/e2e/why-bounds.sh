# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What goes beyond a block was let in by a check, and the mistake is where the values came from that it compared: a count
# that is one too large, a limit in bytes where elements are counted, the length that a library was told.
needs_recorder
cat >bounds.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct list {
  long *items;
  int count;
  int room;
};
__attribute__((noinline)) static void append(struct list *l, long item) {
  l->items[l->count] = item;
  l->count = l->count + (item == 7 ? 2 : 1); /* the first cause */
}
__attribute__((noinline)) static long sum(const struct list *l) {
  long out = 0;
  for (int i = 0; i < l->count; ++i) /* lets it in */
    out += l->items[i];
  return out;
}
__attribute__((noinline)) static size_t length_of(const char *text) {
  size_t out = strlen(text);
  if (text[0] == '7') out = 5 * out; /* the second cause */
  return out;
}
int main(int argc, char **argv) {
  if (argv[2][0] == 'c') {
    size_t length = length_of(argv[1]);
    char *copy = malloc(24), *next = malloc(24);
    strcpy(next, "next");
    if (length > 0) memcpy(copy, "0123456789abcdef0123456789abcdef0123456789abcdef", length); /* lets it in, too */
    puts(next);
    return argc == 9;
  }
  struct list l = {malloc(3 * sizeof(long)), 0, 3};
  for (int i = 0; i < 3; ++i) append(&l, i == 2 ? atoi(argv[1]) : i);
  printf("%ld\n", sum(&l));
  return argc == 9;
}
C
for level in $(levels); do
  cc -g $level -fno-builtin -w -o bounds bounds.c
  status 1 twinrun why "./bounds 6 list" "./bounds 7 list" >out 2>log
  grep -q '^B reads beyond the end of a block of 24 bytes' out || fail "$level: $(cat out)"
  sed '/^A  /,$d' out >said
  tells said "let in by bounds.c:15" "bound by bounds.c:11"
  status 1 twinrun why "./bounds 6111111 copy" "./bounds 7111111 copy" >out 2>log
  grep -q '^B [a-z]* .*the end of a block of 24 bytes' out || fail "$level: $(cat out)"
  sed '/^A  /,$d' out >said
  tells said "bound by bounds.c:21"
done
