local mt={__index=function(t,k) return k.."!" end,__add=function(a,b) return 7 end,__call=function(self,x) return x*2 end,__lt=function() return true end}
local o=setmetatable({},mt)
print(o.foo,o+1,o(21),o<o,rawget(o,"foo"))
local t=setmetatable({},{__newindex=function(t,k,v) rawset(t,k,v*2) end}) t.a=4 print(t.a)
print(pcall(function() local x <const> =1; return nil+x end))
