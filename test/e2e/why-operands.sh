# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What an instruction used is found also where the blocks of the two runs are not the same, and whole.
needs_recorder
# A jump goes into the middle of what the other run executes as one block: behind it blocks differ.
# A wild write is followed by what the encoding reads.
cat >wild.c <<'C'
static volatile int other = 4;
static int cells[4] = {10, 20, 30, 40};
int main(int argc, char **argv) {
  volatile int differs = argv[1][0] - '0';
  volatile long place = 1 + differs;
  cells[2] = 5;
  if (!differs) goto behind;
  other = 1;
behind:
  cells[place] = 6;
  if (argv[2]) return 9;
  return cells[2];
}
C
# What is read from memory is where each run has it: the blocks of the heap stand elsewhere.
cat >heap.c <<'C'
#include <stdlib.h>
static volatile int other = 4;
int main(int argc, char **argv) {
  char *first = malloc(argv[1][1] ? 200 : 20);
  int *x = malloc(sizeof *x);
  *x = argv[1][0] - '0';
  if (argv[1][1]) goto behind;
  other = 1;
behind:
  return *x + (first == NULL);
}
C
for name in wild heap; do
  cc -g -O0 -o $name $name.c
  twinrun record -q -o ${name}0 -- ./$name 0 || true
  twinrun record -q -o ${name}1 -- ./$name 11 || true
  status 1 twinrun why --json --enhance none ${name}0 ${name}1 >out
  json out 'any(n["kind"] == "input" and n["input_b"]["input"] == "argv[1]" for n in d["graph"]["nodes"])'
  json out 'not any(n.get("no_cause") for n in d["graph"]["nodes"])'
done
# An instruction that is asked twice, for the low byte of a sum and for the next one: the edge has
# the bytes of both.
cat >sum.s <<'S'
.globl _start
_start:
  mov 16(%rsp), %rsi
  movzwl (%rsi), %ebx
  mov %ebx, m(%rip)
  jmp 1f
1: mov $1, %eax
  add m(%rip), %eax
  mov %eax, %ecx
  jmp 2f
2: shr $8, %ecx
  movzbl %al, %edx
  xor %edx, %ecx
  mov %ecx, %edi
  mov $231, %eax
  syscall
.bss
m: .zero 4
S
cc -nostdlib -static -o sum sum.s
twinrun record -q -o sum0 -- ./sum ab || true
twinrun record -q -o sum1 -- ./sum cf || true
status 1 twinrun why --json --enhance none sum0 sum1 >out
sums='[n["id"] for n in d["graph"]["nodes"] if n.get("a") and n["a"]["instruction"].startswith("add")]'
json out "[e['place'].split(':')[1] for e in d['graph']['edges'] if e['from'] in $sums and 'place' in e] == ['2']"
