// SPDX-License-Identifier: MIT
// Small programs with one mistake each, and healthy ones that look like mistakes. `cases NAME 0` behaves, `cases NAME
// 1` does what oracle.py says of NAME; both print something that differs.
#include <malloc.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noclone))
static int bad;
static volatile int sink;
static void *volatile keep;

// ---- freed and reused blocks ----
struct item { long tag; int value; char name[20]; };

KEEP static struct item *new_item(int value, const char *name) {
  struct item *made = malloc(sizeof *made);
  made->tag = 1;
  made->value = value;
  strcpy(made->name, name);
  return made;
}
KEEP static void drop(void *block) { free(block); }

static void freed_read(void) {
  struct item *one = new_item(5, "five");
  if (bad) drop(one);
  printf("%ld\n", one->tag + 7);
}
static void freed_string(void) {
  char *text = strdup("e");
  if (bad) drop(text);
  printf(strlen(text) > 1 ? "long\n" : "short\n");
}
KEEP static int value_of(const struct item *of) { return of->value; }
static void freed_write(void) {
  struct item *one = new_item(5, "five");
  if (bad) drop(one);
  one->value = 6 + bad;
  printf("%d\n", value_of(one));
}
static void reused_read(void) {
  struct item *one = new_item(5, "five");
  if (bad) drop(one);
  struct item *two = new_item(9, "nine");
  printf("%d %s\n", one->value, one->name);
  sink = two->value;
}
static void reused_write(void) {
  struct item *one = new_item(5, "five");
  if (bad) drop(one);
  struct item *two = new_item(9, "nine");
  one->value = 77;
  printf("%d\n", two->value);
}
static void realloc_stale(void) {
  int *list = malloc(4 * sizeof *list);
  for (int i = 0; i < 4; ++i) list[i] = i + 3;
  int *old = list;
  keep = malloc(16);  // in the way
  if (bad) list = realloc(list, 4096);
  for (int i = 0; i < 2; ++i) list[i] = 50 + i;
  printf("%d %d\n", old[0], list[1]);
}

// ---- outside of blocks and variables ----
static void heap_strcpy(void) {
  char *name = malloc(24);
  char *other = malloc(24);
  strcpy(other, "other");
  strcpy(name, bad ? "a name that is much too long for its block" : "a name");
  printf("%s %s\n", name, other);
}
KEEP static void fill(int *list, int count) {
  for (int i = 0; i < count; ++i) list[i] = i;
}
KEEP static int element(const int *list, int i) { return list[i]; }
static void heap_loop(void) {
  int *list = malloc(6 * sizeof *list);
  int *other = malloc(6 * sizeof *other);
  other[1] = 1000;
  keep = other;
  fill(list, bad ? 12 : 6);
  printf("%d %d\n", list[5], element(other, 1));
}
static void heap_read(void) {
  int *list = malloc(6 * sizeof *list);
  int *other = malloc(6 * sizeof *other);
  fill(list, 6);
  fill(other, 6);
  other[2] = 1234;
  keep = other;
  printf("%d\n", element(list, bad ? 10 : 2));
}
static void heap_underflow(void) {
  int *other = malloc(6 * sizeof *other);
  int *list = malloc(6 * sizeof *list);
  fill(list, 6);
  fill(other, 6);
  keep = other;
  list[bad ? -4 : 2] = 4321;
  printf("%d %d\n", other[0], list[2]);
}
struct hook { char spare[8]; void (*call)(int); };
KEEP static void hello(int n) { printf("hello %d\n", n); }
static void heap_function_pointer(void) {
  char *name = malloc(24);
  struct hook *hook = malloc(sizeof *hook);
  hook->call = hello;
  strcpy(name, bad ? "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" : "short");
  hook->call(3);
}
KEEP static void copy_name(const char *from) {
  char name[16];
  strcpy(name, from);
  printf("<%s>\n", name);
}
static void return_address(void) {
  copy_name(bad ? "a text that is longer than the frame of the function that it is copied to" : "short");
}
KEEP static int length(const char *of) { return (int)strlen(of); }
KEEP static int measure(const char *from) {
  struct { char text[16]; } to;
  char other[16] = "untouched";
  strcpy(to.text, from);
  sink = other[0];
  return length(to.text) + other[0];
}
static void stack_variable(void) { printf("%d\n", measure(bad ? "nineteen characters" : "short")); }
KEEP static void append(char *to, const char *what) { strcpy(to + 1, what); }
static void stack_handed(void) {
  // Who writes knows a pointer into it only.
  char text[16] = "x", *at = text;
  keep = at;
  append(at, bad ? "nineteen characters" : "short");
  printf("%s\n", text);
}
static char label[8] = "label";
static char behind[24] = "behind";
static void global_variable(void) {
  strcpy(label, bad ? "a label that is too long" : "brief");
  printf("%s %s\n", label, behind);
}

// ---- what was never written ----
KEEP static int decide(int set) {
  int flag;
  int *at = &flag;
  keep = at;
  if (set) *at = 1;
  return *at == 1 ? 10 : 20;
}
KEEP static int dirty(int n) {
  volatile int room[32];
  for (int i = 0; i < 32; ++i) room[i] = n + i;
  return room[n & 31];
}
static void uninitialised_stack(void) {
  sink = dirty(90);
  printf("%d\n", decide(!bad));
}
static void uninitialised_heap(void) {
  int *used = malloc(32);
  fill(used, 8);
  drop(used);
  int *list = malloc(32);
  if (!bad) list[5] = 500;
  printf("%s\n", list[5] == 500 ? "set" : "not set");
}

// ---- free ----
static void double_free(void) {
  char *block = malloc(40);
  block[0] = 'x';
  drop(block);
  if (bad) drop(block);
  printf("done\n");
}
static void free_inside(void) {
  char *block = malloc(40);
  drop(bad ? block + 8 : block);
  printf("done\n");
}
static void free_stack(void) {
  char room[64] = "room";
  keep = room;
  drop(bad ? (void *)room : NULL);
  printf("%s\n", room);
}

// ---- addresses that are none ----
static void null_read(void) {
  struct item *one = bad ? NULL : new_item(4, "four");
  keep = one;
  one = keep;
  printf("%d\n", one->value);
}
static void null_write(void) {
  struct item *one = bad ? NULL : new_item(4, "four");
  keep = one;
  one = keep;
  one->value = 3;
  printf("%d\n", one->value);
}
static void null_call(void) {
  void (*call)(int) = bad ? NULL : hello;
  keep = (void *)call;
  ((void (*)(int))keep)(8);
}
static void wild_read(void) {
  int *at = bad ? (int *)0x4141414141414141 : malloc(4);
  if (!bad) *at = 2;
  keep = at;
  printf("%d\n", *(int *)keep);
}

// ---- healthy ----
static void ok_strings(void) {
  // Blocks that end with the string.
  char *a = malloc(5 + bad);
  memcpy(a, bad ? "four5" : "four", 5 + (size_t)bad);
  char *b = strdup(a);
  printf("%zu %d %td %td\n", strlen(a), strcmp(a, b), strchr(b, 'u') - b, strrchr(a, 'r') - a);
  free(b);
  char *c = malloc(7);
  memcpy(c, "seven7", 7);
  printf("%s %td\n", c, (char *)memchr(c, 'n', 6) - c);
}
struct bits { unsigned a : 3, b : 5, c : 9; };
static void ok_bits(void) {
  struct bits *one = malloc(sizeof *one);
  one->b = (unsigned)(bad ? 7 : 9);
  one->a = 2;
  one->c = 300;
  printf("%u %u %u\n", one->a, one->b, one->c);
}
struct padded { char a; double b; short c; };
static void ok_padding(void) {
  struct padded *one = malloc(sizeof *one);
  one->a = 'a';
  one->b = bad ? 2.5 : 1.5;
  one->c = 4;
  struct padded two;
  memcpy(&two, one, sizeof two);
  struct padded three = two;
  printf("%c %g %d\n", three.a, three.b, three.c);
}
static void ok_rebase(void) {
  // What points into a block is moved with it.
  size_t size = 16;
  char *block = malloc(size);
  char *at = block;
  for (int i = 0; i < 200 + bad; ++i) {
    if (at == block + size) {
      keep = malloc(24);
      char *moved = realloc(block, size * 2);
      at += moved - block;
      block = moved;
      size *= 2;
    }
    *at++ = (char)('a' + i % 26);
  }
  printf("%.*s\n", (int)(at - block), block);
}
static void ok_pool(void) {
  char *pool = malloc(4096);
  size_t used = 0;
  struct item *last = NULL;
  for (int i = 0; i < 20 + bad; ++i) {
    last = (struct item *)(pool + used);
    used += sizeof *last;
    last->value = i;
    snprintf(last->name, sizeof last->name, "item %d", i);
  }
  printf("%d %s\n", last->value, last->name);
}
static void ok_recycle(void) {
  int sum = 0;
  for (int i = 0; i < 50; ++i) {
    struct item *one = new_item(i + bad, "name");
    sum += one->value;
    drop(one);
  }
  printf("%d\n", sum);
}
static void ok_based(void) {
  // Indices from 1.
  int *list = malloc(8 * sizeof *list);
  uintptr_t base = (uintptr_t)list - sizeof *list;
  for (int i = 1; i <= 8; ++i) ((int *)base)[i] = i * (bad + 2);
  printf("%d %d\n", list[0], list[7]);
}
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void ok_sort(void) {
  int *list = malloc(300 * sizeof *list);
  for (int i = 0; i < 300; ++i) list[i] = (i * 7919 + bad) % 1000;
  qsort(list, 300, sizeof *list, by_value);
  printf("%d %d\n", list[0], list[299]);
}
static void ok_calloc(void) {
  int *dirty_one = malloc(64);
  fill(dirty_one, 16);
  free(dirty_one);
  int *list = calloc(16, sizeof *list);
  list[3 + bad] = 5;
  printf("%d %d %d\n", list[3], list[4], list[9]);
}
static void ok_usable(void) {
  char *block = malloc(20);
  const size_t size = malloc_usable_size(block);
  for (size_t i = 0; i < size; ++i) block[i] = (char)('a' + bad);
  printf("%c\n", block[size - 1]);
}
static jmp_buf env;
KEEP static void leap(int n) {
  char room[48];
  snprintf(room, sizeof room, "room %d", n);
  keep = room;
  longjmp(env, n + 1);
}
static void ok_jump(void) {
  const int n = setjmp(env);
  if (n < 3) leap(n);
  char text[32];
  snprintf(text, sizeof text, "%d", n + bad);
  printf("%s\n", text);
}
struct small { int a; char b; };
KEEP static int take(struct small one) { return one.a + one.b; }
static void ok_by_value(void) {
  struct small one;
  one.a = 3;
  one.b = (char)(4 + bad);
  printf("%d\n", take(one));
}
static void ok_lines(void) {
  char *line = NULL;
  size_t size = 0;
  FILE *file = tmpfile();
  for (int i = 0; i < 40; ++i) fprintf(file, "%0*d\n", i * 7 % 50 + 1 + bad, i);
  rewind(file);
  long sum = 0;
  while (getline(&line, &size, file) > 0) sum += line[0] + (long)strlen(line);
  free(line);
  fclose(file);
  printf("%ld\n", sum);
}
union word { double d; uint64_t u; char c[8]; };
static void ok_union(void) {
  union word *one = malloc(sizeof *one);
  one->d = bad ? 3.25 : 2.25;
  printf("%llx %d\n", (unsigned long long)one->u, one->c[7]);
}

#define CASE(name) {#name, name}
static const struct { const char *name; void (*run)(void); } cases[] = {
    CASE(freed_read),     CASE(freed_string),   CASE(freed_write),           CASE(reused_read),
    CASE(reused_write),   CASE(realloc_stale),  CASE(heap_strcpy),           CASE(heap_loop),
    CASE(heap_read),      CASE(heap_underflow), CASE(heap_function_pointer), CASE(return_address),
    CASE(stack_variable), CASE(global_variable), CASE(uninitialised_stack),  CASE(uninitialised_heap),
    CASE(double_free),    CASE(free_inside),    CASE(free_stack),            CASE(null_read),
    CASE(null_write),     CASE(null_call),      CASE(wild_read),             CASE(stack_handed),
    CASE(ok_strings),
    CASE(ok_bits),        CASE(ok_padding),     CASE(ok_rebase),             CASE(ok_pool),
    CASE(ok_recycle),     CASE(ok_based),       CASE(ok_sort),               CASE(ok_calloc),
    CASE(ok_usable),      CASE(ok_jump),        CASE(ok_by_value),           CASE(ok_lines),
    CASE(ok_union),
};
int main(int argc, char **argv) {
  if (argc != 3) return 2;
  bad = argv[2][0] == '1';
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    if (strcmp(cases[i].name, argv[1]) != 0) continue;
    cases[i].run();
    return 0;
  }
  return 2;
}
