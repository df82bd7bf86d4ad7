local queue = {"a", "b", "c", "d", "e", "f"}
table.move(queue, 3, 6, 2)
print(table.concat(queue, " "))
