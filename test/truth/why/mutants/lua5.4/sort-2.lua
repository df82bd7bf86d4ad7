local t={5,2,8,1,9,3,7,7,4,6,0,-1}
table.sort(t,function(a,b) return a>b end)
print(table.concat(t," "))
print(table.unpack(t,2,4))
