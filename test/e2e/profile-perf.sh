# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The text of perf script, made by hand: branches with mappings, samples with symbols.
cat >prog.s <<'S'
.globl _start
.type _start, @function
_start: xor %eax, %eax
loop: call next
test %edi, %edi
je done
dec %edi
jmp loop
done: ret
.size _start, . - _start
.type next, @function
next: add $1, %eax
ret
.size next, . - next
S
cc -nostdlib -static-pie -Wl,--build-id -o prog prog.s
address() { nm prog | awk -v name="$1" '$3 == name {print "0x" $1}'; }
memory() { printf '0x%x' $(($1 + 0x555555000000)); }
start=$(address _start) loop=$(address loop) next=$(address next)
call=$(memory "$loop") back=$(memory $((loop + 5))) test=$(memory $((loop + 11)))
entry=$(memory "$next") return=$(memory $((next + 3)))
text=$(readelf -lW prog | awk '$1 == "LOAD" && / R E / {print $2, $3, $5}')
read -r offset vaddr size <<<"$text"
{
  echo "prog 7 1.0: PERF_RECORD_MMAP2 7/7: [$(memory "$vaddr")($size) @ $offset 08:01 1 1]: r-xp /tmp/prog"
  # The loop turns: the newest branch comes first.
  echo "prog 7 1.1: 1 cycles: $back $test/$call/P/-/-/0 $return/$back/M/-/-/0 $call/$entry/P/-/-/0"
  echo "prog 7 1.2: 1 cycles: $back 0x7fff00000000/0x7fff00000010/P/-/-/0 $return/$back/P/-/-/0"
} >brstack
twinrun profile convert --binary prog brstack --output-format json >counts
json counts '[f["entries"]["count"] for f in d["functions"] if f["name"] == "next"] == [1]'
json counts 'sorted(e["count"] for f in d["functions"] if f["name"] == "_start" for e in f["edges"]) == [0, 0, 1, 1, 2]'
json counts "d['calls'] == [{'site': $((loop)), 'callee': $((next)), 'count': 1}]"
sed 's/ 08:01 1 1]/ <00112233>]/' brstack >other
status 2 twinrun profile convert --binary prog other --output-format json 2>err
has err "error[F004]" "build id is 00112233"
# Samples, by symbols and in call chains.
{
  echo "prog 7 1.1:     250 cycles:u:  $back _start+0x7 (/tmp/prog)"
  echo "prog 7 1.2:     250 cycles:u:"
  printf '\t%s next+0x0 (/tmp/prog)\n\t%s _start+0x2 (/tmp/prog)\n\n' "$entry" "$call"
  echo "prog 7 1.3:     250 cycles:u:  ffffffff81000000 [unknown] ([kernel.kallsyms])"
} >samples
twinrun profile convert --binary prog samples --output-format fdata >out
has out "no_lbr" "1 _start 7 1" "1 next/1 0 1"
[[ $(wc -l <out) == 3 ]]
# Addresses in memory alone tell nothing of a binary that can be anywhere.
sed 1d brstack >unmapped
status 2 twinrun profile convert --binary prog unmapped --output-format fdata 2>err
has err "error[F005]" "--show-mmap-events"
echo "prog 7 1.1: 1 cycles: nonsense" >>samples
status 2 twinrun profile convert --binary prog samples --output-format fdata 2>err
has err "error[F002]: line 7: 'nonsense' is no address"
: "$start"
