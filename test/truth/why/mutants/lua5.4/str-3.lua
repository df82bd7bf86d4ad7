print(("hello"):sub(2,-2),("x"):rep(5,"-"),("abc"):byte(1,-1))
print(("%q"):format("a\nb\0c"), #"\u{20AC}")
print(tostring(1e15),1e100,2^53,7//2,7%-3,-7//2,7.5//2)
