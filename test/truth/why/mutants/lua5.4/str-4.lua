print(("[%a]"):len(),("f(a(b)c)d"):match("%b()"),("THE (quick) fox"):find("%((%a+)%)"))
print(tonumber("0x1p4"),tonumber("  12  "),tonumber("1e"),tonumber("z",36),math.type(3.0),"10"+5,"3"*"4")
