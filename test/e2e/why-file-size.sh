# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The size of a file is told as such, and followed to who wrote as much; so is how much was read of it.
needs_recorder
cat >size.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct stat status;
  int file = open(argv[2], O_RDONLY);
  long size = 0;
  if (argv[1][0] == 's') {
    stat(argv[2], &status);
    size = status.st_size;
  } else if (argv[1][0] == 'f') {
    fstat(file, &status);
    size = status.st_size;
  } else if (argv[1][0] == 'r') {
    char text[99];
    size = read(file, text, sizeof text);
  } else {
    size = lseek(file, 0, SEEK_END);
  }
  puts(size > 20 ? "large" : "small");
  return argc == 9;
}
C
mkdir a b
printf '%010d' 0 >a/data
printf '%030d' 0 >b/data
for level in $(levels); do
  cc -g $level -o size size.c
  for way in stat fstat lseek read; do
    for n in a b; do (cd $n && twinrun record -q -o "$n$level-$way" -- ../size $way data >printed); done
    status 1 twinrun why "a$level-$way" "b$level-$way" >out 2>log
    if [[ $way == read ]]; then
      has out "They differ because B reads 30 bytes of data, A 10 bytes of data; they were given different input: data, line 1"
    else
      has out "They differ because the size of data is 10 in A, 30 in B"
    fi
  done
done

# A file that the run itself has made, in the same process and in another one.
cat >made.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static int count_of(const char *word) {
  int count = (int)strlen(word);
  return count > 3 ? count + 9 : count; /* the cause */
}
int main(int argc, char **argv) {
  FILE *out = fopen("made.out", "w");
  for (int i = 0; i < count_of(argv[2]); ++i) fputc('x', out);
  fclose(out);
  if (argv[1][0] == 'r') execl("./size", "./size", "read", "made.out", (char *)0);
  if (argv[1][0] == 'c') execl("./size", "./size", "stat", "made.out", (char *)0);
  struct stat status;
  stat("made.out", &status);
  puts(status.st_size > 9 ? "large" : "small");
  return argc == 9;
}
C
for level in $(levels); do
  cc -g $level -o made made.c
  for who in self child reader; do
    status 1 twinrun why "./made $who abc" "./made $who abcd" >out 2>log
    has out "argv[2]" "made.c:9" "made.c:13"
    ! grep -q "because the size of made.out" out
  done
done
