// SPDX-License-Identifier: MIT
// Memory of every kind, with one difference in each that follows from the number of arguments. What
// was in freed blocks and in old frames differs, too, and is no difference of the program.
#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct Mixed {
  char c;  // with padding behind it
  long n;
  unsigned low : 3;
  unsigned high : 5;
  union {
    int i;
    float f;
  } u;
  char text[12];
  void (*f)(void);
  struct Mixed *self;
};
struct Mixed *mixed, *same;
long *grown, *zeroed, *mapped, *extra;
char *garbage;
int unused_difference[2];
static __thread int in_thread;

static void f1(void) {}
static void f2(void) {}
void stop(void) {}

static void dirty_stack(int v) {
  volatile char old[512];
  memset((char *)old, 0x60 + v, sizeof old);
}

static int depth(int n, int v) {
  int local = n == 1 ? v : 0;
  char unwritten[64];
  unwritten[0] = 'x';
  char *dynamic = alloca(32 + 16 * n);
  dynamic[0] = 'y';
  if (n == 0) {
    stop();  // compared here
    return dynamic[0] + unwritten[0];
  }
  return depth(n - 1, v) + local + dynamic[0];
}

int main(int argc, char **argv) {
  (void)argv;
  int v = argc - 1;
  char *old = malloc(sizeof *mixed), *old2 = malloc(64);
  memset(old, 0x40 + v, sizeof *mixed);
  memset(old2, 0x50 + v, 64);
  free(old2);
  free(old);
  extra = v ? malloc(100) : 0;
  mixed = malloc(sizeof *mixed);
  mixed->c = 'c';
  mixed->n = v;
  mixed->low = 5;
  mixed->high = v;
  mixed->u.i = 7;
  strcpy(mixed->text, v ? "one" : "two");
  mixed->f = v ? f1 : f2;
  mixed->self = mixed;
  same = mixed;
  garbage = malloc(64);
  garbage[0] = 'g';
  grown = malloc(16);
  grown[0] = 1;
  grown[1] = v;
  grown = realloc(grown, 5000);
  zeroed = calloc(4, 8);
  zeroed[2] = v;
  mapped = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mapped[600] = v;
  in_thread = v;
  dirty_stack(v);
  return depth(3, v) == 0;
}
