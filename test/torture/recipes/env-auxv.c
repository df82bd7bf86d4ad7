/* SPDX-License-Identifier: MIT */
/* What the kernel hands a new program: auxiliary vector, random bytes, its name, page size. */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
int main(int argc, char **argv) {
  printf("%lu %ld\n", getauxval(AT_PAGESZ), sysconf(_SC_PAGESIZE));
  printf("%d %d\n", getauxval(AT_RANDOM) != 0, getauxval(AT_SECURE) != 0);
  printf("%lu %lu\n", getauxval(AT_UID), getauxval(AT_CLKTCK));
  const char *platform = (const char *)getauxval(AT_PLATFORM);
  printf("%s\n", platform ? platform : "-");
  const char *name = (const char *)getauxval(AT_EXECFN);
  printf("%d\n", name != NULL && strcmp(name, argv[0]) == 0);
  printf("%lu %lu\n", getauxval(AT_PHENT), getauxval(AT_PHNUM) > 5);
}
