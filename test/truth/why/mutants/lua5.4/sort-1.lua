local t={5,2,8,1,9,3}
table.sort(t)
print(table.concat(t," "))
print(#t, t[#t])
