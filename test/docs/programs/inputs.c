// SPDX-License-Identifier: MIT
// What differs comes from a file: its size, how much is read of it, what a call returns for it, one
// byte through many rounds, a count of it; or a pointer is never set.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tables {
  const int* first;
  const int* second;
  const int* third;
};
struct list {
  long* items;
  int count;
  int room;
};
static const int table[3] = {1, 2, 3};

static void set_tables(struct tables* t) {
  t->first = &table[0];
  t->third = &table[2];
}

static int look_up(const struct tables* t, long size) {
  if (size > 20) return *t->second;
  return *t->first;
}

__attribute__((noinline)) static void append(struct list* l, long item) {
  l->items[l->count] = item;
  l->count = l->count + (item > 20 ? 2 : 1);
}

__attribute__((noinline)) static long sum(const struct list* l) {
  long out = 0;
  for (int i = 0; i < l->count; ++i) {
    out += l->items[i];
  }
  return out;
}

__attribute__((noipa)) static uint32_t update(uint32_t sum, const unsigned char* p, long n) {
  for (long i = 0; i < n; i++) sum = (sum << 5 | sum >> 27) ^ p[i] * 0x9e3779b1u;
  return sum;
}

int main(int argc, char** argv) {
  static unsigned char text[5000];
  struct stat status;
  struct tables* t = calloc(1, sizeof *t);
  struct list l = {malloc(3 * sizeof(long)), 0, 3};
  const char* how = argv[1];
  int file = open(argv[2], O_RDONLY);
  long size = 0;
  set_tables(t);
  if (!strcmp(how, "stat")) {
    stat(argv[2], &status);
    size = status.st_size;
  } else if (!strcmp(how, "access")) {
    size = access(argv[2], X_OK) == 0 ? 30 : 10;
  } else {
    size = read(file, text, sizeof text);
  }
  if (!strcmp(how, "sum")) return printf("%08x\n", update(~0u, text, size)) + argc == 99;
  if (!strcmp(how, "list")) {
    for (int i = 0; i < 3; ++i) append(&l, i == 2 ? size : i);
    return printf("%ld\n", sum(&l)) + argc == 99;
  }
  if (!strcmp(how, "table")) return look_up(t, size);
  puts(size > 20 ? "large" : "small");
  return argc == 9;
}
