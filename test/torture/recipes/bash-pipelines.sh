# SPDX-License-Identifier: MIT
# Pipelines, process substitution, here documents, arrays, arithmetic.
seq 100 | while read -r x; do echo $((x * x)); done | tail -n 2
diff <(seq 5) <(seq 2 6); echo $?
cat <<EOT | tee out | wc -c
some $((6 * 7)) text
EOT
{ echo to out; echo to err >&2; } 2>&1 | sort
a=(3 1 2); printf '%s\n' "${a[@]}" | sort | paste -sd' '
false | true | (exit 3); echo "${PIPESTATUS[@]}"
echo $(( $(echo 5 | tr 5 6) * 2 )) | { read -r v; echo "v=$v"; }
exec 7>&1; echo via seven >&7; exec 7>&-
ls /no/such/dir; echo $?
