/* SPDX-License-Identifier: MIT */
/* madvise in its kinds, mincore, msync, mlock, munlock, mlockall. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
  const int advice[] = {MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTFORK, MADV_DOFORK,
                        MADV_DONTDUMP, MADV_DODUMP, MADV_FREE, MADV_DONTNEED, 99};
  char *p = mmap(NULL, 16 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned char in_core[16] = "";
  memset(p, 5, 16 << 12);
  for (unsigned i = 0; i < sizeof advice / sizeof *advice; i++)
    printf("%d: %s\n", advice[i], madvise(p + 8192, 8192, advice[i]) ? strerror(errno) : "done");
  printf("%d %d %d\n", p[0], p[8192], p[16384]);
  printf("%d %d\n", mincore(p, 16 << 12, in_core), in_core[0] & 1);
  printf("%d %d %d\n", msync(p, 4096, MS_SYNC), mlock(p, 4096), munlock(p, 4096));
  printf("%d %d\n", mlockall(MCL_CURRENT) == 0 || errno == ENOMEM || errno == EPERM, munlockall());
}
