# SPDX-License-Identifier: MIT
# Scripts with #! lines: with an argument, relative, through env.
printf '#!/bin/sh -e\necho "sh $0 $1"; false; echo no\n' > a
printf '#!/usr/bin/env python3\nimport sys; print("python", sys.argv[1:])\n' > b
printf '#!/bin/cat\nthis is printed\n' > c
printf 'echo no shebang $1\n' > e
chmod +x a b c e
./a one; echo $?
./b two three; echo $?
./c; echo $?
./e five; echo $?
mkdir sub && cp b sub/ && PATH=$PWD/sub:$PATH b six
