# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which of many differences of what was written is explained: none that nobody sees, or that only repeats the name of
# the input, and what the run reads again only when nothing else differs.
needs_recorder
cat >sum.c <<'C'
#include <stdio.h>
#include <string.h>
static int total(const char *text) {
  int sum = 0;
  for (; *text >= '0' && *text <= '9'; text++) sum += *text - '0';
  return sum;
}
int main(int argc, char **argv) {
  char line[100] = "", again[100] = "";
  FILE *in = fopen(argv[1], "r");
  fgets(line, sizeof line, in);
  fclose(in);
  FILE *null = fopen("/dev/null", "w");
  fprintf(null, "unseen: %s\n", line);
  fclose(null);
  FILE *note = fopen(argv[2], "w");
  fprintf(note, "note: %s %d\n", line, total(line));
  fclose(note);
  note = fopen(argv[2], "r");
  fgets(again, sizeof again, note);
  fclose(note);
  printf("%s has a total of %d\n", argv[1], total(strchr(again + 6, ' ') + 1));
  return argc == 9;
}
C
printf 12 >a.txt
printf 14 >b.txt
for level in $(levels); do
  cc -g $level -w -o sum sum.c
  status 1 twinrun why './sum a.txt note' './sum b.txt note' >out 2>log
  tells out 'D1  standard output, byte 21  ".txt has a total of 3" | ".txt has a total of 5"' \
    "They differ because b.txt, line 1, column 2 has" "note: standard output, byte 0"
done
