-- SPDX-License-Identifier: MIT
-- LuaJIT with its compiler on: traces, side exits, FFI calls.
-- torture: run=luajit
local ffi = require("ffi")
ffi.cdef("int abs(int);")
local sum, t = 0, {}
for i = 1, 300000 do
  sum = sum + (i % 3 == 0 and ffi.C.abs(-i) or i * 0.5)
  if i % 1000 == 0 then t[#t + 1] = tostring(i) end
end
print(sum, #table.concat(t, ","), jit.status())
