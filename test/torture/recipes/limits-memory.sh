# SPDX-License-Identifier: MIT
# torture: listed=W031
# Limits on memory that a shell sets hold for its programs; that on data does not, and this is said.
(ulimit -v 4000000; sh -c 'ulimit -v; echo large')
(ulimit -v 100000; echo small; sh -c 'ulimit -v; echo recorded; head -c 200000000 /dev/zero | tail -c 150000000 | wc -c' 2>/dev/null)
(ulimit -v 300000; perl -e 'my $x = "a" x 500_000_000; print length $x' 2>/dev/null; echo "status $?")
(ulimit -v 300000; perl -e 'my $x = "a" x 50_000_000; print length $x, "\n"')
(ulimit -Sd 50000; ulimit -Sd; sh -c 'echo data')
