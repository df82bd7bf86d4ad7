# SPDX-License-Identifier: MIT
# torture: root=yes
# torture: needs=prlimit
# torture: listed=W020
# A program that runs unrecorded has the limit that its shell set.
ulimit -n 300
printf '#!/no/such\n' >none && chmod +x none
./none 2>/dev/null || echo "status $?"
printf '#!/bin/sh\nulimit -n\n' >inner && chmod +x inner
printf '#!%s/inner\n' "$PWD" >outer && chmod +x outer
./outer
ulimit -n
