/* SPDX-License-Identifier: MIT */
/* A sparse file of 200 GB, mapped shared, and a memfd as large: written here, read by its descriptor. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static void try(int fd, const char *what) {
  const size_t size = 200UL << 30;
  char text[8] = "";
  if (ftruncate(fd, (off_t)size)) {
    printf("%s: too large\n", what);
    return;
  }
  char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (p == MAP_FAILED) {
    printf("%s: no map\n", what);
    return;
  }
  strcpy(p + size - 4096, "far");
  long got = pread(fd, text, 4, (off_t)size - 4096);
  printf("%s: %ld %s %d\n", what, got, text, munmap(p, size));
  if (ftruncate(fd, 0)) puts("?");
}
int main(void) {
  try(memfd_create("large", 0), "memfd");
  int fd = open("sparse", O_RDWR | O_CREAT, 0600);
  try(fd, "file");
  unlink("sparse");
}
