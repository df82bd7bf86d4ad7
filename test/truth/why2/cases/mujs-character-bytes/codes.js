var a = [];
for (var i = 0; i < 60; i++) a.push(Number(scriptArgs[0]));
var s = String.fromCharCode.apply(null, a);
var t = "";
for (var i = 0; i < 200; i++) t = t + s;
print(t.length);
