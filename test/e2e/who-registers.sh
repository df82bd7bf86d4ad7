# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A register that the block overwrites before anything else sees it still has its own writer.
needs_recorder
cat >prog.s <<'S'
.globl _start
_start:
  mov $20, %ebx
  lea 1(%rbx), %ecx
  lea (%rcx,%rcx), %ecx
  mov %ecx, %edi
  mov $7, %ecx
  mov $231, %eax
  syscall
S
cc -nostdlib -static -o prog prog.s
status 42 twinrun record -o run -- ./prog
# In front of `mov ecx, 7`: ecx is that of the second lea, which nothing in the file says.
twinrun who --at 4 --what ecx --json run >out
json out 'd["rows"][0]["text"].startswith("lea ecx, [rcx+rcx") and d["rows"][0]["value"] == "0x2a"'
json out 'd["rows"][1]["text"].startswith("lea ecx, [rbx+0x1]") and d["rows"][1]["value"] == "0x15"'
json out 'd["rows"][2]["text"].startswith("mov ebx") and d["rows"][2]["value"] == "0x14"'
twinrun slice --at 4 --what ecx --no-control --json run >out
json out 'd["rows"][0]["text"].startswith("lea ecx, [rcx+rcx")'
twinrun dump --values run >out
has out "->  rcx=0x15" "rcx=0x15  ->  rcx=0x2a" "->  rcx=0x7"
# Ended by exit(2), which hands the last block over to nobody: its values are known all the same.
sed 's/\$231/$60/' prog.s >last.s
cc -nostdlib -static -o last last.s
status 42 twinrun record -o last -- ./last
twinrun dump last >plain
twinrun dump --values last >out
test "$(wc -l <plain)" = "$(wc -l <out)"
has out "->  rcx=0x15" "rcx=0x15  ->  rcx=0x2a" "->  rcx=0x7"
twinrun who --at 4 --what ecx --json last >out
json out 'd["rows"][0]["text"].startswith("lea ecx, [rcx+rcx") and d["rows"][0]["value"] == "0x2a"'
# Killed in the middle of a block, that one has no values; nothing is left out, and who says why.
cat >killed.c <<'C'
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  volatile int *turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const pid_t child = fork();
  while (child == 0) (*turns)++;
  while (*turns < 1000) usleep(100);
  kill(child, SIGKILL);
  wait(NULL);
  return 0;
}
C
cc -O0 -o killed killed.c
twinrun record -o killed -- ./killed
twinrun dump --process 2 killed >plain
last=$(awk 'END { print $1 }' plain)
status 2 twinrun who --at "$last" --what eax killed 2>err
has err "V005"
