print(("key = value"):match("^(%w+)%s*=%s*(%w+)$"))
print(("a,b,,c"):find(",",3,true))
for w in ("one two three"):gmatch("%a+") do io.write(w,".") end print()
