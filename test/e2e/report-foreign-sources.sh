# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A binary can name any file as its source, and pages and packed recordings are sent on: what is no source by its name,
# and links out of their directory, go into neither, unless --source-dir names them.
needs_recorder
mkdir away
echo 'a very private key' >id_key
echo 'int other_secret;' >away/other.c
ln -s away/other.c link.c
cat >prog.c <<'EOF'
#include <stdlib.h>
#include <stdio.h>
#line 1 "id_key"
static int first(int n) { return n * 2; }
#line 1 "link.c"
static int second(int n) { return n + 3; }
#line 1 "prog.c"
int main(int argc, char **argv) { printf("%d\n", first(second(atoi(argv[1])))); }
EOF
cc -g -O0 -o prog prog.c
status 1 twinrun report './prog 1' './prog 2' -o page.html
has page.html "first(second(atoi"
lacks page.html "private key" "other_secret"
status 1 twinrun why './prog 1' './prog 2' >out 2>log
has out "prog.c:1" "id_key:1"
lacks out "private key" "other_secret"
twinrun record -q -o run.twin -- ./prog 3
twinrun pack run.twin -o packed.twin >said
has said "id_key" "link.c" "by its name no source file" "a link out of its directory"
# Who knows them can show them.
status 1 twinrun report --source-dir "$PWD=$PWD" './prog 1' './prog 2' -o named.html
has named.html "private key" "other_secret"
