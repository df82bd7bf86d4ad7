#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile.py names|program: 60 names for functions that try to break a page, one a line, and a
program with 60 functions f0 to f59 that behave by its argument."""
import sys

COUNT = 60
PARTS = [
    "<script>window.pwned=1</script>",
    "</script><script>window.pwned=1</script>",
    "<!--<script>window.pwned=1",
    "<img/src=x/onerror=window.pwned=1>",
    "<svg/onload=window.pwned=1>",
    "<iframe/src=javascript:window.pwned=1>",
    "\"onmouseover=window.pwned=1\"",
    "'onfocus=window.pwned=1/autofocus/x='",
    "javascript:window.pwned=1",
    "]]>--!><b>",
    "&lt;script&gt;",
    "${window.pwned=1}",
    "{{window.pwned=1}}",
    "\u202egpj.exe\u202c",
    "\u2066\u2067bidi\u2069",
    "\u200b\ufeffzero",
    "\x1b[31mred\x07",
    "__proto__",
    "constructor",
    "toString",
    "../../../etc/passwd",
    "%3Cscript%3E",
    "\\u003cscript\\u003e",
    "</title></style></textarea>",
    "<base/href=//example.invalid>",
    "<meta/http-equiv=refresh/content=0>",
    "<link/rel=stylesheet/href=//example.invalid/x.css>",
    "@TWINRUN_DATA@",
    "$&$`$'",
    "x" * 65536,
]

if sys.argv[1] == "names":
    for i in range(COUNT):
        # '=' would end the old name; a letter keeps names apart.
        name = PARTS[i % len(PARTS)] + (f"_{i}" if i >= len(PARTS) else "")
        print(name)
else:
    print("#include <stdio.h>\n#include <stdlib.h>\n#define X __attribute__((noinline, noipa))")
    print("volatile int total;")
    for i in range(COUNT):
        print(f"X void f{i}(int n) {{ for (int i = 0; i < n % ({i} + 2); i++) total += n; }}")
    print("int main(int argc, char **argv) {\n  int n = atoi(argv[1]);")
    for i in range(COUNT):
        print(f"  f{i}(n);")
    print("  puts(argv[2]);\n  return total % 11;\n}")
