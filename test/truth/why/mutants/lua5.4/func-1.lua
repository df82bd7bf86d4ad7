local function f(...) local a,b=... return b,a,select("#",...) end
print(f(1,2,3))
local s=0 for i=10,1,-3 do s=s+i end print(s)
