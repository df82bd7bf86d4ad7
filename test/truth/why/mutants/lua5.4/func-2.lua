local c={} for i=1,3 do c[i]=function() i=i+1 return i end end
print(c[1](),c[1](),c[2](),c[3]())
print(pcall(error,{code=1}))
