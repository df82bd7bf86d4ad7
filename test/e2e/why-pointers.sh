# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Pointers are compared by what they point to: what only moves the blocks behind it is no cause.
needs_recorder
cat >prog.c <<'C'
#include <stdlib.h>
#include <string.h>
struct node {
  int value;
  struct node *next;
};
static char arena[65536];
static char *next_free = arena;
__attribute__((noinline)) static void *take(size_t size) {
  void *out = next_free;
  next_free += (size + 15) & ~15ul;
  return out;
}
int main(int argc, char **argv) {
  int is_own = strcmp(argv[3], "own") == 0;
  size_t size = argv[1][0] * 16;
  void *pad = is_own ? take(size) : malloc(size);
  struct node *n = is_own ? take(sizeof *n) : malloc(sizeof *n);
  struct node *m = is_own ? take(sizeof *m) : malloc(sizeof *m);
  n->next = m;
  m->value = argv[2][0] - '0';
  return pad == NULL ? 9 : n->next->value;
}
C
cc -g -O0 -o prog prog.c
for kind in heap own; do
  status 1 twinrun record -q -o "a-$kind" -- ./prog a 1 $kind
  status 2 twinrun record -q -o "b-$kind" -- ./prog c 2 $kind
done
status 1 twinrun why a-heap b-heap >out
has out "They differ because argv[2] is"
status 1 twinrun why --json a-heap b-heap >heap.json
inputs='{n["input_b"]["input"] for n in d["graph"]["nodes"] if n["kind"] == "input" and "input_b" in n}'
json heap.json "$inputs == {'argv[2]'}"
status 1 twinrun why --json --no-normalization a-heap b-heap >numbers.json
json numbers.json "$inputs >= {'argv[1]', 'argv[2]'}"
# An allocator of the program's own: nobody knows of it unless told. What it says where is followed then, but what was
# put there tells more.
status 1 twinrun why a-own b-own >out
has out "They differ because argv[2] is"
status 1 twinrun why --json a-own b-own >own.json
json own.json "$inputs >= {'argv[1]', 'argv[2]'}"
status 1 twinrun why --json --allocator take a-own b-own >told.json
json told.json "$inputs == {'argv[2]'}"
