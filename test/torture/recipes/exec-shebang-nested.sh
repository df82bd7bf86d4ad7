# SPDX-License-Identifier: MIT
# A script whose interpreter is a script itself.
# torture: listed=W020
printf '#!/bin/sh\necho "$0 $1 $2"\n' > a
printf '#! ./a  x\n' > d
chmod +x a d
./d four
