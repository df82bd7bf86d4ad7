local queue = {"a", "b", "c", "d", "e", "f"}
table.move(queue, 2, 5, 3)
print(table.concat(queue, " "))
