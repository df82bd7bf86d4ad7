local cache = {}
collectgarbage()
for i = 1, 40 do rawset(cache, i, {"value", i}) end
collectgarbage("step")
local other = {}
for i = 1, 40 do other[i] = {"other", -i} end
local s = 0
for i = 1, 40 do s = s + cache[i][2] end
print(s)
