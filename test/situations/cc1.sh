# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The C compiler itself, as it is installed, and a source that it does not take.
needs_recorder
cc1=$(gcc -print-prog-name=cc1 2>/dev/null) && [[ -x $cc1 ]] || skip "no cc1"
printf 'int size(void) { return sizeof(int); }\nint twice(int x) { return x * 2; }\n' >good.c
sed 's/x \* 2/y * 2/' good.c >bad.c
status 1 twinrun why "$cc1 -quiet good.c -o good.s" "$cc1 -quiet bad.c -o bad.s" >out 2>log
begins out 'bad.c, line 2, column 27 has "y * 2; }" where good.c has "x * 2; }"' "says \"bad.c:2:27: "
