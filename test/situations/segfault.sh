# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program that crashes on one input, with its debug information and stripped of all names.
needs_recorder
cat >ini.c <<'C'
#include <stdio.h>
#include <string.h>
struct config { const char *host, *port; };
static size_t length(const struct config *c) {
  return strlen(c->host) + 1 + strlen(c->port);
}
int main(int argc, char **argv) {
  struct config config = {0};
  char key[80], value[2][80];
  FILE *in = fopen(argv[1], "r");
  for (int i = 0; i < 2 && fscanf(in, "%79[a-z] = %79s ", key, value[i]) == 2; i++) {
    if (strcmp(key, "host") == 0) config.host = value[i];
    if (strcmp(key, "port") == 0) config.port = value[i];
  }
  printf("%zu\n", length(&config));
  return 0;
}
C
printf 'host = example.org\nport = 8080\n' >good.ini
printf 'host = example.org\nprot = 8080\n' >bad.ini
cc -g -O0 -w -o ini ini.c
status 1 twinrun why './ini good.ini' './ini bad.ini' >out 2>log
begins out "c->port is NULL in B" "SIGSEGV: strlen(c->port) reads address 0 (NULL) at ini.c:5" "bad.ini, line 2, column 2"
cc -O2 -s -w -o stripped ini.c
status 1 twinrun why './stripped good.ini' './stripped bad.ini' >out 2>log
begins out "SIGSEGV" "bad.ini, line 2, column 2"
