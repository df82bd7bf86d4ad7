# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A file without execute permission, a directory, a file that is no program: 126 as with env(1).
needs_recorder
echo text >plain
mkdir dir
printf 'no program\n' >garbage
: >empty
chmod +x garbage empty
status 126 twinrun record -o t.twin -- ./plain 2>err
has err "twinrun: error[R126]" "plain" "= help:" "chmod +x"
status 126 twinrun record -o t.twin -- ./dir 2>err
has err "error[R126]" "directory"
status 126 twinrun record -o t.twin -- ./garbage 2>err
has err "error[R126]"
status 126 twinrun record -o t.twin -- ./empty 2>err
has err "error[R126]"
[[ ! -e t.twin && ! -e t.twin.partial ]]
