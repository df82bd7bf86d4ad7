# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One output is the beginning of the other, and both are written at once when the programs end: what was put into the
# buffer is what is missing, not the end of the program.
needs_recorder
cat >rows.c <<'C'
#include <stdio.h>
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  int rows = 0;
  if (fscanf(in, "%d", &rows) != 1) return 2;
  fclose(in);
  for (int i = 0; i < rows; i++)
    printf("row %d\n", i);
  return 0;
}
C
cat >part.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  static char text[] = "abcdefghijklmnopqrstuvwxyz";
  int size = 3;
  FILE *in = fopen(argv[1], "r");
  if (fscanf(in, "%d", &size) != 1) return 2;
  fclose(in);
  return write(1, text, size) != size;
}
C
echo 3 >three
echo 2 >two
for level in $(levels); do
  cc -g $level -o rows rows.c
  status 1 twinrun why './rows three' './rows two' >out 2>log
  has out '| nothing' 'rows.c:7  for (int i = 0; i < rows; i++)' "two, line 1, column 1 has"
  # The other way round: one writes more than it should.
  status 1 twinrun why './rows two' './rows three' >out 2>log
  has out 'nothing |' 'rows.c:7  for (int i = 0; i < rows; i++)' "three, line 1, column 1 has"
  cc -g $level -o part part.c
  status 1 twinrun why './part three' './part two' >out 2>log
  has out '| nothing' "two, line 1, column 1 has"
done
