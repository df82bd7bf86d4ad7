# SPDX-License-Identifier: MIT
# A stack smaller than the recorder's own.
ulimit -Ss 100
ulimit -Ss
/bin/echo still
sh -c 'ulimit -Ss; ulimit -Ss 200; ulimit -Ss; sh -c "ulimit -Ss"'
