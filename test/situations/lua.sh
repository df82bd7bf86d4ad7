# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A Lua script that fails, in the interpreter as it is installed.
needs_recorder
lua5.4 -v >version 2>/dev/null || skip "no lua5.4"
cat >total.lua <<'L'
local sum = 0
for line in io.lines(arg[1]) do
  local name, count = line:match("(%a+) (%d+)")
  sum = sum + count
end
print(sum)
L
printf 'pear 7\napple 5\n' >good.txt
printf 'pear 7\napple five\n' >bad.txt
status 1 twinrun why 'lua5.4 total.lua good.txt' 'lua5.4 total.lua bad.txt' >out 2>log
begins out "bad.txt, line 2" "total.lua:4"
