# SPDX-License-Identifier: MIT
# torture: listed=W031
# Limits on memory hold for the recorder too, or not at all; programs that it would not fit into run unrecorded.
(ulimit -v 4000000; sh -c 'ulimit -v; echo large')
(ulimit -v 100000; echo small; sh -c 'ulimit -v; echo unrecorded')
(ulimit -Sd 50000; ulimit -Sd; sh -c 'echo data')
