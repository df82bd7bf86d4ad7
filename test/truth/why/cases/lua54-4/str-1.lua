print(("%5d|%-5s|%05.1f"):format(42,"ab",3.14159))
print(("hello world"):gsub("o","0"))
