# SPDX-License-Identifier: MIT
# Perl: regular expressions, hashes, fork, sockets, sprintf.
perl -e '
use strict; use Socket;
my %h; $h{length $_ % 7} .= $_ for map { "w" x $_ } 1..50;
print join(",", map { "$_:" . length $h{$_} } sort { $a <=> $b } keys %h), "\n";
my $t = "abc" x 1000; (my $u = $t) =~ s/(b)(c)/$2$1/g; print length($u), " ", substr($u, 0, 9), "\n";
socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC);
if (my $p = fork) { close $b; print "child says: ", scalar <$a>; waitpid $p, 0; print $? >> 8, "\n" } else { close $a; syswrite $b, "hi\n"; exit 6 }
printf "%s %.10f %b\n", 10 ** 20, atan2(1, 1) * 4, 1023;'
