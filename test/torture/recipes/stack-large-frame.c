/* SPDX-License-Identifier: MIT */
/* Frames of megabytes: alloca and arrays, touched from their far end, and a system call that reads into one. */
/* torture: launch=ulimit -s 65536 */
#include <alloca.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static long with_array(void) {
  volatile char large[20 << 20];
  large[0] = 3;
  large[sizeof large - 1] = 4;
  return large[0] + large[sizeof large - 1];
}
static long with_alloca(size_t size) {
  char *p = alloca(size);
  memset(p, 1, size);
  long sum = 0;
  for (size_t i = 0; i < size; i += 4096) sum += p[i];
  return sum;
}
static long with_read(void) {
  char large[6 << 20];
  int fd = open("/dev/zero", O_RDONLY);
  long got = read(fd, large, sizeof large);
  close(fd);
  return got + large[12345];
}
int main(void) { printf("%ld %ld %ld\n", with_array(), with_alloca(5 << 20), with_read()); }
