local w = 12
local fmt = "%" .. ("0"):rep(300) .. w .. "d|"
print(fmt:format(42))
print(pcall(string.format, "%5.1f", 2.25))
