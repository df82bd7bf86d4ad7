/* SPDX-License-Identifier: MIT */
/* Counts the instructions that a program executes in user mode, by single-stepping it.
 *
 *   stepper PROGRAM [ARG...]
 *
 * prints the count from the first instruction of the program to the one that ends it. It follows
 * no children. The hardware steps a rep-prefixed instruction iteration by iteration, and so does
 * the count: n iterations count n, and a repetition of zero counts one. A system call counts one.
 * A step that ends in a signal has executed nothing; the handler's first instruction counts as any
 * other, and so does the instruction that is then executed again. The program's output goes where
 * it always does, so the count is printed to descriptor 3 when that is open, else to stderr. With
 * STEPPER_REGISTERS=FILE in the environment the general registers are written there as 16 words in
 * front of each instruction, in the order of their numbers in instructions. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char* what) {
  fprintf(stderr, "stepper: %s: %s\n", what, strerror(errno));
  exit(125);
}

static FILE* registers;

static void write_registers(const struct user_regs_struct* r) {
  const unsigned long long words[16] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
                                        r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};
  if (registers && fwrite(words, sizeof words, 1, registers) != 1) die("write");
}

/* One step; returns 1 when an instruction was executed. */
static int step(pid_t pid, int* signal, int* status) {
  struct user_regs_struct before, after;
  siginfo_t info;
  if (ptrace(PTRACE_GETREGS, pid, 0, &before)) die("getregs");
  if (ptrace(PTRACE_SINGLESTEP, pid, 0, (void*)(long)*signal)) die("singlestep");
  *signal = 0;
  if (waitpid(pid, status, 0) != pid) die("waitpid");
  if (!WIFSTOPPED(*status)) return WIFEXITED(*status); /* exit_group counts, a deadly signal does not */
  if (WSTOPSIG(*status) == SIGTRAP) {
    if (ptrace(PTRACE_GETSIGINFO, pid, 0, &info)) die("getsiginfo");
    /* The kernel stops with this code when it has built a handler's frame and run nothing yet. */
    return info.si_code != SIGTRAP;
  }
  /* A fault leaves the program counter where it was: the instruction has not been executed. */
  *signal = WSTOPSIG(*status);
  if (ptrace(PTRACE_GETREGS, pid, 0, &after)) die("getregs");
  return after.rip != before.rip;
}

int main(int argc, char** argv) {
  if (argc < 2) return fprintf(stderr, "usage: stepper PROGRAM [ARG...]\n"), 125;
  const pid_t pid = fork();
  if (pid == 0) {
    personality(ADDR_NO_RANDOMIZE);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    close(3);
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  int status, signal = 0;
  unsigned long long count = 0;
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) die("the program did not start");
  if (getenv("STEPPER_REGISTERS") && !(registers = fopen(getenv("STEPPER_REGISTERS"), "w"))) die("open");
  while (WIFSTOPPED(status)) {
    struct user_regs_struct now;
    if (ptrace(PTRACE_GETREGS, pid, 0, &now)) die("getregs");
    if (!step(pid, &signal, &status)) continue;
    write_registers(&now);
    ++count;
  }
  if (registers && fclose(registers)) die("write");
  FILE* out = fcntl(3, F_GETFD) >= 0 ? fdopen(3, "w") : stderr;
  fprintf(out, "%llu\n", count);
  fclose(out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
