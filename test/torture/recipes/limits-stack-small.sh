# SPDX-License-Identifier: MIT
# torture: listed=W031
# Under a stack too small for the recorder a program runs unrecorded.
ulimit -Ss 100
ulimit -Ss
/bin/echo still
