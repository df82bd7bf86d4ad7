/* SPDX-License-Identifier: MIT */
/* Mappings at addresses that a program proposes or demands, as Go's heap and Java's do; MAP_FIXED_NOREPLACE; MAP_32BIT. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
static void try(const char *what, unsigned long at, size_t size, int flags) {
  char *p = mmap((void *)at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (p == MAP_FAILED) {
    printf("%s: %s\n", what, strerror(errno));
    return;
  }
  p[0] = 1, p[size - 1] = 2;
  printf("%s: there %d, low %d, %d\n", what, at && p == (char *)at, flags & MAP_32BIT ? (unsigned long)p < 1UL << 32 : 0, p[0] + p[size - 1]);
  munmap(p, size);
}
int main(void) {
  try("go heap", 0xc000000000, 64 << 20, 0);
  try("java heap", 0x700000000000 - (8UL << 30), 4UL << 30, 0);
  try("fixed", 0x300000000000, 1 << 20, MAP_FIXED);
  try("fixed large", 0x300000000000, 1UL << 40, MAP_FIXED);
  try("noreplace", 0x300000000000, 1 << 20, MAP_FIXED_NOREPLACE);
  char *p = mmap((void *)0x300000000000, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  try("noreplace, taken", 0x300000000000, 1 << 20, MAP_FIXED_NOREPLACE);
  munmap(p, 8192);
  try("below 4 GB", 0, 1 << 20, MAP_32BIT);
  try("odd hint", 0x300000000123, 1 << 20, 0);
  try("odd and fixed", 0x300000000123, 1 << 20, MAP_FIXED);
  try("populated", 0, 1 << 20, MAP_POPULATE);
  try("for a stack", 0, 1 << 20, MAP_STACK | MAP_GROWSDOWN);
}
