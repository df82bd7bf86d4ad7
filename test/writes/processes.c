// SPDX-License-Identifier: MIT
// Processes, threads, memory, users, limits, scheduling, signals and time.
#include "calls.h"

#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <time.h>

static void ignore(int signal) { (void)signal; }

CASE(waiting) {
  for (int i = 0; i < 3; i++)
    if (fork() == 0) _exit(i);
  CALL(wait4, -1, m, 0, m + 100);
  CALL(waitid, P_ALL, 0, m + 300, WEXITED, m + 500);
  CALL(wait4, -1, 0, 0, 0);
  CALL(waitid, P_ALL, 0, m + 700, WEXITED, m + 900);
  syscall(SYS_wait4, -1, m + 1100, WNOHANG, m + 1200);
  syscall(SYS_waitid, P_ALL, 0, m + 2100, 0, 0);
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  CALL(wait4, child, m + 1400, WNOHANG, m + 1500);
  CALL(waitid, P_PID, child, m + 1700, WEXITED | WNOHANG, m + 1900);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}
CASE(forking) {
  // Number and flags of a child, there and here.
  const pid_t child = CALL(clone, 0x01000000 | 0x00100000 | SIGCHLD, 0, m, m + 64, 0);
  if (child == 0) {
    uint64_t sum = 0;
    for (int i = 0; i < 256; i += 8) sum += *(volatile uint64_t*)(m + i);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  const pid_t other = CALL(clone, 0x00001000 | SIGCHLD, 0, m + 128, 0, 0);
  if (other == 0) _exit(0);
  waitpid(other, NULL, 0);
  close(U32(128));
  const pid_t quick = vfork();
  if (quick == 0) _exit(0);
  waitpid(quick, NULL, 0);
  const pid_t forked = CALL(fork);
  if (forked == 0) {
    memcpy(m + 512, "/nowhere", 9);
    U64(600) = P(512);
    U64(608) = 0;
    CALL(execve, m + 512, m + 600, m + 608);
    CALL(execveat, AT_FDCWD, m + 512, m + 600, m + 608, 0);
    CALL(exit_group, 0);
  }
  waitpid(forked, NULL, 0);
}
static unsigned char stack[64 << 10] __attribute__((aligned(16)));
static volatile int thread_done;
static int run_thread(void* memory) {
  unsigned char* m = memory;
  uint64_t sum = 0;
  for (int i = 0; i < 256; i += 8) sum += *(volatile uint64_t*)(m + i);
  thread_done = 1;
  syscall(SYS_exit, 0);
  return 0;
}
CASE(thread_numbers) {
  thread_done = 0;
  clone(run_thread, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
        CLONE_PARENT_SETTID | CLONE_CHILD_SETTID, m, m + 64, NULL, m + 128);
  while (!thread_done) sched_yield();
  struct timespec little = {0, 20000000};
  nanosleep(&little, NULL);
}
CASE(identity) {
  CALL(getpid);
  CALL(gettid);
  CALL(getppid);
  const int pid = getpid();
  CALL(getpgid, 0);
  CALL(setpgid, 0, 0);
  CALL(getpgrp);
  CALL(getsid, 0);
  syscall(SYS_setsid);
  CALL(kill, pid, 0);
  CALL(tkill, pid, 0);
  CALL(tgkill, pid, pid, 0);
  CALL(getuid);
  CALL(geteuid);
  CALL(getgid);
  CALL(getegid);
  CALL(setuid, getuid());
  CALL(setgid, getgid());
  CALL(setreuid, -1, -1);
  CALL(setregid, -1, -1);
  CALL(setresuid, -1, -1, -1);
  CALL(setresgid, -1, -1, -1);
  CALL(setfsuid, geteuid());
  CALL(setfsgid, getegid());
  CALL(getresuid, m, m + 8, m + 16);
  CALL(getresgid, m + 24, m + 32, m + 40);
  U32(200) = 7;
  CALL(setgroups, 1, m + 200);
  CALL(getgroups, 64, m + 300);
  CALL(getgroups, 0, m + 600);
  CALL(setgroups, 0, m);
  CALL(kcmp, pid, pid, 0, 0, 0);
  CALL(personality, 0xffffffff);
  syscall(SYS_unshare, 0);
  syscall(SYS_setns, -1, 0);
}
CASE(capabilities) {
  static const unsigned versions[] = {_LINUX_CAPABILITY_VERSION_1, _LINUX_CAPABILITY_VERSION_2, _LINUX_CAPABILITY_VERSION_3};
  for (int i = 0; i < 3; i++) {
    U32(256 * i) = versions[i];
    U32(256 * i + 4) = 0;
    CALL(capget, m + 256 * i, m + 256 * i + 64);
  }
  CALL(capset, m + 512, m + 512 + 64);
  U32(1024) = 5;
  U32(1028) = 0;
  CALL(capget, m + 1024, 0);
  U32(1280) = 6;
  U32(1284) = 0;
  syscall(SYS_capget, m + 1280, m + 1300);
  U32(1536) = 7;
  syscall(SYS_capset, m + 1536, m + 1600);
}
CASE(limits) {
  CALL(getrlimit, RLIMIT_NOFILE, m);
  CALL(getrlimit, RLIMIT_STACK, m + 32);
  CALL(setrlimit, RLIMIT_STACK, m + 32);
  CALL(prlimit64, 0, RLIMIT_CORE, 0, m + 64);
  CALL(prlimit64, 0, RLIMIT_NOFILE, 0, m + 96);
  CALL(getrusage, RUSAGE_SELF, m + 256);
  CALL(getpriority, 0, 0);
  CALL(setpriority, 0, 0, 0);
  CALL(ioprio_get, 1, 0);
  CALL(ioprio_set, 1, 0, 0);
}
CASE(scheduling) {
  CALL(sched_yield);
  CALL(sched_getparam, 0, m);
  CALL(sched_setparam, 0, m);
  CALL(sched_getscheduler, 0);
  U32(16) = 0;
  CALL(sched_setscheduler, 0, SCHED_OTHER, m + 16);
  CALL(sched_get_priority_max, SCHED_FIFO);
  CALL(sched_get_priority_min, SCHED_FIFO);
  CALL(sched_rr_get_interval, 0, m + 32);
  CALL(sched_getaffinity, 0, 128, m + 256);
  CALL(sched_setaffinity, 0, 8, m + 256);
  CALL(sched_getattr, 0, m + 512, 48, 0);
  CALL(sched_getattr, 0, m + 1024, 112, 0);
  CALL(sched_setattr, 0, m + 512, 0);
  U32(768) = 300;
  memset(m + 772, 1, 296);
  syscall(SYS_sched_setattr, 0, m + 768, 0);
  CALL(getcpu, m + 1200, m + 1208, 0);
  CALL(membarrier, 0, 0, 0);
}
CASE(addresses) {
  U64(0) = 0;
  CALL(set_tid_address, m);
  CALL(get_robust_list, 0, m + 8, m + 16);
  CALL(set_robust_list, U64(8), 24);
  CALL(arch_prctl, 0x1003, m + 64);
  CALL(arch_prctl, 0x1004, m + 72);
  syscall(SYS_arch_prctl, 0x1002, U64(64));
  syscall(SYS_arch_prctl, 0x1001, 0);
  // The compiler's own words of a thread stay where they are.
}
static void* die_with_it(void* lock) {
  pthread_mutex_lock(lock);
  return NULL;
}
CASE(robust_lock) {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_t* lock = (pthread_mutex_t*)m;
  pthread_mutex_init(lock, &how);
  pthread_t thread;
  pthread_create(&thread, NULL, die_with_it, lock);
  pthread_join(thread, NULL);
  if (pthread_mutex_lock(lock) != EOWNERDEAD) abort();
}
CASE(futexes) {
  U32(0) = 0;
  U32(64) = 5;
  CALL(futex, m, FUTEX_WAKE, 1, 0, 0, 0);
  CALL(futex, m, FUTEX_WAKE_OP, 1, 1, m + 64, FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 5));
  U32(128) = 0;
  CALL(futex, m + 128, FUTEX_LOCK_PI, 0, 0, 0, 0);
  CALL(futex, m + 128, FUTEX_UNLOCK_PI, 0, 0, 0, 0);
  CALL(futex, m + 128, FUTEX_TRYLOCK_PI, 0, 0, 0, 0);
  CALL(futex, m + 128, FUTEX_UNLOCK_PI, 0, 0, 0, 0);
}
CASE(mapping) {
  unsigned char* at = (unsigned char*)CALL(mmap, 0, 65536, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CALL(mincore, at, 16384, m);
  at = (unsigned char*)CALL(mremap, at, 65536, 131072, 1);
  CALL(mprotect, at, 4096, 1);
  CALL(msync, at, 4096, 1);
  CALL(madvise, at + 8192, 4096, 4);
  CALL(mlock, at, 4096);
  CALL(munlock, at, 4096);
  CALL(mlockall, 1);
  CALL(munlockall);
  CALL(munmap, at, 131072);
  CALL(brk, 0);
  const int key = syscall(SYS_pkey_alloc, 0, 0);
  syscall(SYS_pkey_mprotect, at, 0, 3, -1);
  syscall(SYS_pkey_free, key);
}
CASE(placement) {
  CALL(get_mempolicy, m, m + 64, 1025, 0, 0);
  CALL(get_mempolicy, m + 512, 0, 0, 0, 0);
  syscall(SYS_set_mempolicy, 0, 0, 0);
  syscall(SYS_mbind, m, 0, 0, 0, 0, 0);
  U64(1024) = P(0) & ~4095;
  U64(1032) = (P(0) & ~4095) + 4096;
  CALL(move_pages, 0, 2, m + 1024, 0, m + 1100, 0);
}
CASE(other_memory) {
  memcpy(m, "sixteen bytes, yes", 18);
  U64(100) = P(0);
  U64(108) = 16;
  U64(200) = P(1000);
  U64(208) = 6;
  U64(216) = P(2000);
  U64(224) = 100;
  CALL(process_vm_readv, getpid(), m + 200, 2, m + 100, 1, 0);
  U64(300) = P(3000);
  U64(308) = 50;
  CALL(process_vm_writev, getpid(), m + 100, 1, m + 300, 1, 0);
}
CASE(process_options) {
  CALL(prctl, PR_SET_PDEATHSIG, 0);
  CALL(prctl, PR_GET_PDEATHSIG, m);
  CALL(prctl, PR_GET_DUMPABLE);
  CALL(prctl, PR_SET_DUMPABLE, 1);
  memcpy(m + 64, "writes", 7);
  CALL(prctl, PR_SET_NAME, m + 64);
  CALL(prctl, PR_GET_NAME, m + 128);
  CALL(prctl, PR_GET_TSC, m + 192);
  CALL(prctl, PR_GET_CHILD_SUBREAPER, m + 256);
  syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
  CALL(prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
  CALL(prctl, PR_GET_TID_ADDRESS, m + 320);
  syscall(SYS_prctl, PR_SET_VMA, 0, m, 0, 0);
  CALL(prctl, 0x41555856 /* PR_GET_AUXV */, m + 1024, 2048, 0, 0);
  CALL(prctl, 0x41555856, m + 512, 24, 0, 0);
}
CASE(tracing) {
  const pid_t child = fork();
  if (child == 0) {
    CALL(ptrace, PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  struct user_regs_struct* now = (struct user_regs_struct*)(m + 1024);
  CALL(ptrace, PTRACE_GETREGS, child, 0, m + 1024);
  CALL(ptrace, PTRACE_SETREGS, child, 0, m + 1024);
  CALL(ptrace, PTRACE_PEEKTEXT, child, now->rsp, m);
  CALL(ptrace, PTRACE_PEEKDATA, child, now->rsp, m + 16);
  CALL(ptrace, PTRACE_PEEKUSER, child, 0, m + 32);
  CALL(ptrace, PTRACE_POKEDATA, child, now->rsp, U64(16));
  CALL(ptrace, PTRACE_POKETEXT, child, now->rsp, U64(16));
  CALL(ptrace, PTRACE_POKEUSER, child, 0, U64(32));
  CALL(ptrace, PTRACE_GETFPREGS, child, 0, m + 2048);
  CALL(ptrace, PTRACE_SETFPREGS, child, 0, m + 2048);
  CALL(ptrace, PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD);
  CALL(ptrace, PTRACE_GETEVENTMSG, child, 0, m + 64);
  CALL(ptrace, PTRACE_GETSIGINFO, child, 0, m + 128);
  CALL(ptrace, PTRACE_SETSIGINFO, child, 0, m + 128);
  U64(300) = P(4096);
  U64(308) = 4096;
  CALL(ptrace, PTRACE_GETREGSET, child, 1, m + 300);
  CALL(ptrace, PTRACE_SETREGSET, child, 1, m + 300);
  kill(child, SIGURG);
  U64(400) = 0;
  U32(408) = PTRACE_PEEKSIGINFO_SHARED;
  U32(412) = 4;
  CALL(ptrace, PTRACE_PEEKSIGINFO, child, m + 400, m + 8192);
  CALL(ptrace, PTRACE_GETSIGMASK, child, 8, m + 432);
  CALL(ptrace, PTRACE_SETSIGMASK, child, 8, m + 432);
  CALL(ptrace, 0x420e /* PTRACE_GET_SYSCALL_INFO */, child, 88, m + 9000);
  CALL(ptrace, 0x420e, child, 9, m + 9200);
  CALL(ptrace, 0x420f /* PTRACE_GET_RSEQ_CONFIGURATION */, child, 24, m + 9300);
  CALL(ptrace, PTRACE_CONT, child, 0, 0);
  waitpid(child, NULL, 0);
  CALL(ptrace, PTRACE_SYSCALL, child, 0, 0);
  waitpid(child, NULL, 0);
  CALL(ptrace, 0x420e, child, 88, m + 9400);
  CALL(ptrace, PTRACE_SINGLESTEP, child, 0, 0);
  waitpid(child, NULL, 0);
  CALL(ptrace, PTRACE_CONT, child, 0, 0);
  waitpid(child, NULL, 0);
  const pid_t other = fork();
  if (other == 0) {
    pause();
    _exit(0);
  }
  CALL(ptrace, PTRACE_SEIZE, other, 0, 0);
  CALL(ptrace, PTRACE_INTERRUPT, other, 0, 0);
  waitpid(other, NULL, __WALL);
  kill(other, SIGSTOP);
  CALL(ptrace, PTRACE_CONT, other, 0, 0);
  waitpid(other, NULL, __WALL);
  CALL(ptrace, PTRACE_CONT, other, 0, SIGSTOP);
  waitpid(other, NULL, __WALL);
  CALL(ptrace, PTRACE_LISTEN, other, 0, 0);
  CALL(ptrace, PTRACE_INTERRUPT, other, 0, 0);
  waitpid(other, NULL, __WALL);
  kill(other, SIGCONT);
  CALL(ptrace, PTRACE_DETACH, other, 0, 0);
  CALL(ptrace, PTRACE_ATTACH, other, 0, 0);
  waitpid(other, NULL, __WALL);
  CALL(ptrace, PTRACE_KILL, other, 0, 0);
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
}
CASE(signals) {
  memset(m, 0, 256);
  CALL(rt_sigaction, SIGUSR2, 0, m + 256, 8);
  U64(0) = (uint64_t)ignore;
  CALL(rt_sigaction, SIGUSR2, m + 256, m + 384, 8);
  U64(64) = 1 << (SIGUSR2 - 1);
  CALL(rt_sigprocmask, SIG_BLOCK, m + 64, m + 512, 8);
  CALL(rt_sigprocmask, SIG_BLOCK, 0, m + 528, 8);
  raise(SIGUSR2);
  CALL(rt_sigpending, m + 576, 8);
  CALL(rt_sigtimedwait, m + 64, m + 640, m + 128, 8);
  syscall(SYS_rt_sigtimedwait, m + 64, m + 900, m + 128, 8);
  siginfo_t* info = (siginfo_t*)(m + 1024);
  memset(info, 0, sizeof *info);
  info->si_signo = SIGUSR2;
  info->si_code = -1;
  info->si_value.sival_int = 12;
  CALL(rt_sigqueueinfo, getpid(), SIGUSR2, info);
  CALL(rt_sigtimedwait, m + 64, m + 1200, m + 128, 8);
  CALL(rt_tgsigqueueinfo, getpid(), getpid(), SIGUSR2, info);
  CALL(rt_sigtimedwait, m + 64, 0, m + 128, 8);
  U64(80) = 0;
  CALL(rt_sigprocmask, SIG_SETMASK, m + 80, 0, 8);
  CALL(sigaltstack, 0, m + 1400);
  stack_t* area = (stack_t*)(m + 1500);
  memset(area, 0, sizeof *area);
  area->ss_sp = m + 2048;
  area->ss_size = 8192;
  CALL(sigaltstack, area, m + 1600);
  CALL(sigaltstack, 0, m + 1700);
  area->ss_flags = SS_DISABLE;
  CALL(sigaltstack, area, 0);
}
CASE(suspended) {
  signal(SIGALRM, ignore);
  ualarm(20000, 0);
  U64(0) = 0;
  syscall(SYS_rt_sigsuspend, m, 8);
  ualarm(20000, 0);
  syscall(SYS_pause);
  CALL(alarm, 0);
  signal(SIGALRM, SIG_DFL);
}
CASE(signal_frames) {
  // The stack that a handler runs on, and what it holds when that has returned.
  stack_t area = {m + 1024, 0, 12 << 10};
  struct sigaction action = {.sa_handler = ignore, .sa_flags = SA_ONSTACK};
  sigaltstack(&area, NULL);
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  area.ss_flags = SS_DISABLE;
  sigaltstack(&area, NULL);
}
CASE(clocks) {
  CALL(time, m);
  CALL(gettimeofday, m + 16, m + 32);
  CALL(times, m + 64);
  memset(m + 512, 0, 208);
  CALL(adjtimex, m + 512);
  memset(m + 1024, 0, 208);
  CALL(clock_adjtime, 0, m + 1024);
  CALL(clock_gettime, 0, m + 128);
  CALL(clock_gettime, 1, m + 144);
  CALL(clock_getres, 1, m + 160);
  CALL(clock_getres, 1, 0);
  U64(176) = -1;
  U64(184) = -1;
  syscall(SYS_clock_settime, 0, m + 176);
  syscall(SYS_settimeofday, m + 176, 0);
}
CASE(sleeping) {
  signal(SIGALRM, ignore);
  for (int i = 0; i < 4; i++) {
    U64(16 * i) = i == 3 ? 0 : 20;
    U64(16 * i + 8) = 100;
  }
  ualarm(20000, 0);
  syscall(SYS_nanosleep, m, m + 256);
  ualarm(20000, 0);
  syscall(SYS_clock_nanosleep, 1, 0, m + 16, m + 320);
  struct timespec* when = (struct timespec*)(m + 32);
  clock_gettime(CLOCK_MONOTONIC, when);
  when->tv_sec += 20;
  ualarm(20000, 0);
  syscall(SYS_clock_nanosleep, 1, 1, m + 32, m + 384);
  CALL(nanosleep, m + 48, m + 448);
  CALL(clock_nanosleep, 1, 0, m + 48, m + 512);
  signal(SIGALRM, SIG_DFL);
}
CASE(timers) {
  memset(m, 0, 128);
  U64(16) = 100;
  CALL(setitimer, 0, m, 0);
  CALL(getitimer, 0, m + 256);
  CALL(setitimer, 0, m, m + 320);
  U64(16) = 0;
  CALL(setitimer, 0, m, 0);
  CALL(timer_create, 1, 0, m + 384);
  const int timer = (int)U32(384);
  U64(16) = 100;
  CALL(timer_settime, timer, 0, m, 0);
  CALL(timer_settime, timer, 0, m, m + 448);
  CALL(timer_gettime, timer, m + 512);
  CALL(timer_getoverrun, timer);
  CALL(timer_delete, timer);
}
CASE(system) {
  CALL(uname, m);
  CALL(sysinfo, m + 512);
  CALL(getrandom, m + 1024, 33, 0);
  CALL(syslog, 3, m + 2048, 500);
  syscall(SYS_syslog, 10, 0, 0);
  syscall(SYS_sethostname, m, -1);
  syscall(SYS_setdomainname, m, -1);
  syscall(SYS_iopl, 0);
  syscall(SYS_ioperm, 0, 1, 0);
  syscall(SYS_init_module, m, 0, m);
  syscall(SYS_finit_module, -1, m, 0);
  m[3000] = 0;
  syscall(SYS_delete_module, m + 3000, 0);
  syscall(SYS_lookup_dcookie, 0, m + 3100, 10);
}
CASE(counters) {
  struct perf_event_attr* attr = (struct perf_event_attr*)m;
  memset(attr, 0, sizeof *attr);
  attr->type = PERF_TYPE_SOFTWARE;
  attr->config = PERF_COUNT_SW_TASK_CLOCK;
  attr->size = sizeof *attr;
  const int fd = CALL(perf_event_open, attr, 0, -1, -1, 0);
  CALL(read, fd, m + 512, 8);
  CALL(ioctl, fd, PERF_EVENT_IOC_ID, m + 600);
  close(fd);
  memset(m + 1024, 1, 512);
  U32(1024 + 4) = 500;
  syscall(SYS_perf_event_open, m + 1024, 0, -1, -1, 0);
}
CASE(filter) {
  const pid_t child = fork();
  if (child == 0) {
    struct sock_filter* code = (struct sock_filter*)(m + 64);
    *code = (struct sock_filter){BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    U64(0) = 1;
    U64(8) = P(64);
    CALL(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    CALL(prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, m);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}
CASE(unknown_programs) {
  union bpf_attr* attr = (union bpf_attr*)m;
  memset(attr, 0, sizeof *attr);
  attr->map_type = BPF_MAP_TYPE_ARRAY;
  attr->key_size = attr->value_size = 4;
  attr->max_entries = 2;
  const int map = CALL(bpf, BPF_MAP_CREATE, attr, sizeof *attr);
  memset(attr, 0, sizeof *attr);
  attr->info.bpf_fd = map;
  attr->info.info_len = 80;
  attr->info.info = P(2048);
  CALL(bpf, BPF_OBJ_GET_INFO_BY_FD, attr, sizeof *attr);
  memset(m + 512, 0, 64);
  CALL(bpf, BPF_MAP_GET_NEXT_ID, m + 512, 64);
  close(map);
}
