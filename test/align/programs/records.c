// SPDX-License-Identifier: MIT
// Reads records of twelve digits and works on each; whatever is in them, it does the same. With an
// argument input comes through a small buffer, which is filled now and then.
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static char buffer[65536];
static size_t have, at;
static size_t room;

__attribute__((noinline)) static int next_byte(void) {
  if (at == have) {
    const ssize_t got = read(0, buffer, room);
    if (got <= 0) return -1;
    have = (size_t)got;
    at = 0;
  }
  return buffer[at++];
}

__attribute__((noinline)) static uint64_t take(const char* record) {
  uint64_t value = 0;
  for (int i = 0; i < 12; ++i) value = value * 10 + (uint64_t)(record[i] - '0');
  return value;
}

int main(int argc, char** argv) {
  (void)argv;
  room = argc > 1 ? 1024 : sizeof buffer;
  char record[13];
  uint64_t sum = 0;
  for (;;) {
    int i = 0;
    for (; i < 13; ++i) {
      const int byte = next_byte();
      if (byte < 0) break;
      record[i] = (char)byte;
    }
    if (i < 13) break;
    sum += take(record);
  }
  printf("%016lx\n", (unsigned long)(sum & 0xffffffffffff));
  return 0;
}
