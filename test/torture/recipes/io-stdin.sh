# SPDX-License-Identifier: MIT
# Standard input goes through untouched, also when children share it.
# torture: stdin=first line\nsecond line\nthird\nrest of it\n
read -r a; echo "got $a"
bash -c 'read -r b; echo "child got $b"'
head -c 5
cat | tr a-z A-Z
