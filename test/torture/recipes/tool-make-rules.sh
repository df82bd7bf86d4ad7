# SPDX-License-Identifier: MIT
# make: pattern rules, variables, parallel jobs, an error in the middle.
# torture: needs=make
cat >Makefile <<'EOF'
objects := $(patsubst %.in,%.out,$(sort $(wildcard *.in)))
all: $(objects) ; @cat $(objects)
%.out: %.in ; @tr a-z A-Z <$< >$@
fail: ; @false
EOF
for i in 1 2 3 4; do echo "text $i" >$i.in; done
make -s -j3; echo $?
make -s; touch 2.in; make -s -q; echo $?
make -s -k fail all 2>/dev/null; echo $?
