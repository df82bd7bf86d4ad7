-- SPDX-License-Identifier: MIT
-- Lua: coroutines, closures, string patterns, garbage collection.
-- torture: run=lua5.4
local function gen(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i, i * i) end end) end
local s = 0
for a, b in gen(2000) do s = s + a * b % 17 end
local words = {}
for w in ("the quick brown fox jumps over the lazy dog"):rep(50, " "):gmatch("%a+") do words[w] = (words[w] or 0) + 1 end
local keys = {}
for k in pairs(words) do keys[#keys + 1] = k end
table.sort(keys)
print(s, table.concat(keys, " "), words.the, (select(2, pcall(error, "e", 0))))
collectgarbage()
print(string.format("%.14g %q %5.2f", 2 ^ 53, "a\nb", 1 / 3), #string.pack("i4z", 7, "x"))
