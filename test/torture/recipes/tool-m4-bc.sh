# SPDX-License-Identifier: MIT
# m4 and bc compute.
# torture: needs=m4 bc
printf 'define(f, `ifelse($1, 0, 1, `eval($1 * f(decr($1)))'"'"')'"'"')f(10)\n' | m4
echo 'scale=30; 4*a(1); 2^200; sqrt(2)' | bc -l
echo 'obase=16; 255 * 4097; define f(n) { if (n < 2) return (n); return (f(n-1) + f(n-2)); }; f(18)' | bc
