// SPDX-License-Identifier: MIT
// calls BASE: makes every system call and ioctl that it can with all memory that it hands to the kernel in
// one place, and reads that memory again, byte by byte, when each has returned. Recorded, a byte that the
// kernel wrote and the recording does not tell is a load that contradicts the recording. Prints where each
// case's memory is.
#include "calls.h"

#include <sys/mman.h>

enum { kCases = 1000 };
static const unsigned char kPatterns[] = {0x5a, 0xa5};
static struct {
  const char* name;
  Body body;
} cases[kCases];
static int count;
static const char* running = "start";

void add_case(const char* name, Body body) {
  if (count == kCases) abort();
  cases[count].name = name;
  cases[count++].body = body;
}

long called(const char* name, long result) {
  if (result < 0) fprintf(stderr, "%s: %s: %s\n", running, name, strerror(errno));
  return result;
}

static uint64_t look_at(const unsigned char* m) {
  uint64_t sum = 0;
  for (int i = 0; i < kSlot; i += 8) sum += *(const volatile uint64_t*)(m + i);
  return sum;
}

int main(int argc, char** argv) {
  // In the order of names: that of files is the linker's.
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && strcmp(cases[j - 1].name, cases[j].name) > 0; j--) {
      const Body body = cases[j].body;
      const char* name = cases[j].name;
      cases[j] = cases[j - 1];
      cases[j - 1].body = body;
      cases[j - 1].name = name;
    }
  setvbuf(stdout, NULL, _IOLBF, 0);
  unsigned char* base = (unsigned char*)strtoull(argc > 1 ? argv[1] : "0x20000000", NULL, 0);
  for (int i = 0; i < count; i++) {
    running = cases[i].name;
    for (int p = 0; p < 2; p++) {
      unsigned char* m = base + (2 * i + p) * kSlot;
      if (mmap(m, kSlot, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != m) abort();
      memset(m, kPatterns[p], kSlot);
      look_at(m);
      cases[i].body(m);
      look_at(m);
      printf("%p %s %#x\n", (void*)m, cases[i].name, kPatterns[p]);
    }
  }
  return 0;
}
