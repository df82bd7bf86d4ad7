# SPDX-License-Identifier: MIT
# The just-in-time compiler of PCRE2, through git grep -P and grep -P.
# torture: needs=git
seq 1 3000 | sed 's/$/ some text abcabc here/' > f
grep -cP '^(?=.*7)(\d)\d*\1 .*(abc){2}' f
git grep --no-index -hcP '(?<!1)9+\d? some (?:text|word)\b' f
grep -oP '\d{4}(?= some)' f | tail -n 2
