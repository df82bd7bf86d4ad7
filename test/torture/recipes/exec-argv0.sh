# SPDX-License-Identifier: MIT
# argv[0] that differs from the program's path, empty arguments, empty argument lists.
(exec -a strange cat /no/such/file)
(exec -a -login sh -c 'echo $0')
bash -c 'printf "<%s>" "$@"; echo' name '' ' ' 'a b' $'tab\tnew\nline' '*' '\\'
env -i /usr/bin/env
env -i A=1 B= C=' x ' /usr/bin/env
