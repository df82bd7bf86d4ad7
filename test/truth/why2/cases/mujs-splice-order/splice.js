var a = ["one", "two", "three"];
a.splice(Number(scriptArgs[0]), 0, "new");
print(a.join(" "));
