# SPDX-License-Identifier: MIT
# The command line of a recorded process, seen from another one.
# torture: listed=W023
sleep 5 & sleep 0.5; tr '\0' ' ' < /proc/$!/cmdline; echo; kill $!
tr '\0' '|' < /proc/self/cmdline; echo
