local co=coroutine.wrap(function(a) local b=coroutine.yield(a+1) error("x"..b) end)
print(co(1)) print(pcall(co,5))
goto done
print("no")
::done:: print(math.maxinteger+1==math.mininteger, 5//0.0, -5%3)
