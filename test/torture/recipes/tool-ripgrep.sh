# SPDX-License-Identifier: MIT
# Rust programs: rg with its threads, fdfind.
# torture: needs=rg fdfind
mkdir d; for i in $(seq 30); do seq $i 300 > d/f$i; done
rg -c --sort path '^2.*7$' d | tail -n 3
rg -j2 -l 'nothing here' d; echo $?
fdfind -j2 'f1' d | sort
