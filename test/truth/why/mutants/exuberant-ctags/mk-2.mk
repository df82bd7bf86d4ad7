A := 1
B ?= 2
ifdef C
d e: f
endif
G += 3 # h = 4
