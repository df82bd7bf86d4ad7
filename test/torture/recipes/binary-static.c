/* SPDX-License-Identifier: MIT */
/* The same small program linked in every way that matters to a loader. */
/* torture: flags=-static */
/* torture: flags=-static-pie */
/* torture: flags=-no-pie -fno-pie */
/* torture: flags=-s */
/* torture: flags=-g -gdwarf-5 */
/* torture: flags=-g -gdwarf-4 */
/* torture: flags=-g -gz=zlib */
/* torture: flags=-g -gsplit-dwarf */
/* torture: flags=-O3 -flto */
/* torture: flags=-Wl,-z,now,-z,norelro */
/* torture: flags=-Wl,--hash-style=sysv,--build-id=none */
/* torture: flags=-Wl,-z,separate-code,-z,max-page-size=0x200000 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
int main(int argc, char **argv) {
  char *words[] = {"pear", "apple", "fig", "quince", "banana", "cherry"};
  char line[200] = "";
  qsort(words, 6, sizeof *words, compare);
  for (int i = 0; i < 6; i++) strcat(strcat(line, words[i]), " ");
  printf("%s%zu %d %s\n", line, strlen(line), argc, strrchr(argv[0], '/') ? "path" : "bare");
  return atoi("42");
}
