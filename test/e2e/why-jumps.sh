# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A run that jumps to where there is no code: what told it where is explained.
needs_recorder
cat >handlers.c <<'C'
#include <stdio.h>
#include <string.h>
struct handler { char label[8]; int (*run)(int); };
__attribute__((noinline)) static int twice(int x) { return 2 * x; }
static struct handler table[2] = {{"first", twice}, {"second", twice}};
int main(int argc, char **argv) {
  char word[200];
  FILE *in = fopen(argv[1], "r");
  if (!fgets(word, sizeof word, in)) return 2;
  volatile unsigned which = word[0] == '#';
  for (int i = 0; word[i]; i++)
    table[which].label[i] = word[i];
  return table[which].run(4);
}
C
cat >frames.c <<'C'
#include <stdio.h>
__attribute__((noinline)) static int length_of(FILE *in) {
  char line[8];
  int n = 0, c;
  while ((c = getc(in)) != '\n')
    *(volatile char *)(line + n++) = c;
  return n;
}
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  return length_of(in);
}
C
echo short >good
printf '%0.sABCDEFGH' 1 2 3 4 5 6 7 8 9 >bad
echo >>bad
for level in $(levels); do
  cc -g $level -fno-stack-protector -D_FORTIFY_SOURCE=0 -w -o handlers handlers.c
  status 1 twinrun why './handlers good' './handlers bad' >out 2>log
  has out 'killed by SIGSEGV' 'handlers.c:12  table[which].label[i] = word[i];'
  cc -g $level -fno-stack-protector -D_FORTIFY_SOURCE=0 -w -o frames frames.c
  status 1 twinrun why './frames good' './frames bad' >out 2>log
  has out 'killed by SIGSEGV' 'frames.c:6  *(volatile char *)(line + n++) = c;'
done
