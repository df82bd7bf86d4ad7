# SPDX-License-Identifier: MIT
# Here documents, substitutions of processes, arrays, arithmetic, read loops, printf.
cat <<EOF
sum $((17 * 3 - 2 ** 5)) ${HOME:+set}
EOF
cat <<'EOF' | tr a-z A-Z
plain $text
EOF
declare -A count
while read -r word; do count[$word]=$((${count[$word]:-0} + 1)); done < <(printf '%s\n' a b a c b a)
for k in a b c; do printf '%s=%03d ' "$k" "${count[$k]}"; done; echo
diff <(seq 1 5) <(seq 1 6 | grep -v 3)
x=path/to/file.tar.gz; echo "${x##*/} ${x%%.*} ${x/to/from} ${#x} ${x^^}"
coproc bc_like { while read -r a b; do echo $((a * b)); done; }
echo 6 7 >&"${bc_like[1]}"; read -r r <&"${bc_like[0]}"; echo "$r"
exec 5<>file; echo one >&5; cat file
select_one() { local IFS=,; echo "$*"; }; select_one a b c
