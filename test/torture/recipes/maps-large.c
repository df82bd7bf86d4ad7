/* SPDX-License-Identifier: MIT */
/* Reserved address space as Go, Java and the sanitizers take it: 64 GB to 16 TB, used in a few places, and given back. */
/* torture: args=64 */
/* torture: args=128 */
/* torture: args=1024 */
/* torture: args=16384 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv) {
  (void)argc;
  const size_t size = strtoul(argv[1], NULL, 10) << 30;
  for (int round = 0; round < 3; round++) {
    char *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return puts("no map"), 1;
    char *far = p + size - 8192;
    long sum = mprotect(far, 8192, PROT_READ | PROT_WRITE) + mprotect(p, 4096, PROT_READ | PROT_WRITE);
    memset(far, 3, 8192);
    p[0] = 7;
    int fd = open("/proc/sys/kernel/ostype", O_RDONLY);
    sum += read(fd, far, 5);
    close(fd);
    sum += far[0] + far[5] + far[8191] + p[0];
    char *again = mmap(p + size / 2, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    again[100] = 1;
    sum += again == p + size / 2;
    printf("%ld %d\n", sum, munmap(p, size));
  }
}
