# SPDX-License-Identifier: MIT
# Perl: fork, pipes, wait, signals, sockets, sprintf, pack.
# torture: run=perl
use strict; use warnings; use IO::Socket::UNIX; use POSIX ":sys_wait_h";
$| = 1;
pipe(my $r, my $w);
my $pid = fork;
if (!$pid) { close $r; print $w join(",", map { $_ * $_ } 1..20), "\n"; close $w; exit 6 }
close $w; print scalar <$r>; waitpid($pid, 0); print $? >> 8, "\n";
local $SIG{ALRM} = sub { die "alarm\n" };
eval { alarm 1; select(undef, undef, undef, 10); alarm 0; }; print $@;
my ($a, $b) = IO::Socket->socketpair(AF_UNIX, SOCK_STREAM, PF_UNSPEC);
print $a pack("NnCA5", 1, 2, 3, "hello"); $a->flush; read($b, my $buf, 12); print join(" ", unpack("NnCA5", $buf)), "\n";
my @out = `printf 'a\nb\nc\n' | sort -r`; print @out;
my %h; $h{$_ % 7}++ for 1..100; print join(",", map { "$_=$h{$_}" } sort keys %h), "\n";
