# SPDX-License-Identifier: MIT
# The environment, as seen by env and in /proc, holds no trace of the recorder.
# torture: env=MARK=some value
env | sort
tr '\0' '\n' < /proc/self/environ | sort
