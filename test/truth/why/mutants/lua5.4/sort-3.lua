local t={}
for i=1,30 do t[i]=(i*7)%31 end
table.sort(t)
print(table.concat(t," ",5,9))
table.insert(t,3,99) table.remove(t,1)
print(#t,t[2],t[30],t[31])
