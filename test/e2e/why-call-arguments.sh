# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a system call answers is an input only when it was asked the same in both runs; and a call that fails is told with
# its path and its error.
needs_recorder
cat >find.c <<'C'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) static void name_of(char *out, const char *key) {
  if (key[0] == '/')
    strcpy(out, "store/");
  else
    strcpy(out, "stor/");
  strcat(out, "item");
}
int main(int argc, char **argv) {
  char key[64], path[100];
  FILE *in = fopen(argv[1], "r");
  if (fscanf(in, "%63s", key) != 1) return 2;
  fclose(in);
  name_of(path, key);
  return access(path, R_OK) == 0 ? 0 : 3;
}
C
cat >config.c <<'C'
#include <stdio.h>
int main(void) {
  FILE *in = fopen("settings.conf", "r");
  return in ? 0 : 4;
}
C
mkdir store
touch store/item
echo /a >good
echo a >bad
for level in $(levels); do
  cc -g $level -o find find.c
  status 1 twinrun why './find good' './find bad' >out 2>log
  has out "find.c:5  if (key[0] == '/')" "They differ because bad, line 1, column 1 has"
  cc -g $level -o config config.c
  touch settings.conf
  twinrun record -q --force -o with -- ./config
  rm settings.conf
  status 4 twinrun record -q --force -o without -- ./config
  status 1 twinrun why with without >out
  has out 'They differ because openat("settings.conf") fails with ENOENT in B; in A it succeeds' \
    'input  settings.conf  B cannot open it: ENOENT'
done
