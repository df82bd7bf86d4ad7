CC = gcc
all: a.o
	echo
.PHONY: all
define X
 y
endef
