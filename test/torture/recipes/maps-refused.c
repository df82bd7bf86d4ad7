/* SPDX-License-Identifier: MIT */
/* Requests that the kernel refuses, each with its own error. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static void try(const char *what, void *at, size_t size, int prot, int flags, int fd, long offset) {
  void *p = mmap(at, size, prot, flags, fd, offset);
  printf("%s: %s\n", what, p == MAP_FAILED ? strerror(errno) : "mapped");
}
int main(void) {
  const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  int read_only = open("/etc/passwd", O_RDONLY), directory = open("/", O_RDONLY);
  try("nothing", NULL, 0, PROT_READ, anonymous, -1, 0);
  try("256 TB", NULL, 1UL << 48, PROT_NONE, anonymous, -1, 0);
  try("127.9 TB", NULL, (1UL << 47) - (100UL << 30), PROT_NONE, anonymous, -1, 0);
  try("all", NULL, ~4095UL, PROT_NONE, anonymous, -1, 0);
  try("bad descriptor", NULL, 4096, PROT_READ, MAP_PRIVATE, 99, 0);
  try("a directory", NULL, 4096, PROT_READ, MAP_PRIVATE, directory, 0);
  try("read only, shared", NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, read_only, 0);
  try("odd offset", NULL, 4096, PROT_READ, MAP_PRIVATE, read_only, 100);
  try("neither", NULL, 4096, PROT_READ, MAP_ANONYMOUS, -1, 0);
  try("beyond user space", (void *)0x7ffffffff000, 1 << 20, PROT_READ, anonymous | MAP_FIXED, -1, 0);
  try("no end", (void *)0x300000000000, 1UL << 47, PROT_NONE, anonymous | MAP_FIXED, -1, 0);
}
