local t={"pear","apple","fig"}
table.sort(t)
t[5]="x" t[4]="y"
print(#t, next({}), select("#",table.unpack(t)))
for i,v in ipairs(t) do io.write(i,v,";") end
print(pcall(table.sort,{1,"a",2}))
