/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls, signals, and the end of a process. */
#include "tool.h"

Bool tw_exiting;
static Bool is_vfork_child;
static Bool vfork_pending;
static Bool just_forked;  /* the call under way made a process */
static Bool finished;
static Bool ended_in_order; /* all threads are gone */

static void flush_last(void) {
  if (finished) return;
  finished = True;
  tw_stream_finish();
}

static void log_exec(ThreadId tid, const UWord* args, Bool has_directory) {
  const HChar* path = (const HChar*)args[has_directory ? 1 : 0];
  const HChar** argv = (const HChar**)args[has_directory ? 2 : 1];
  enum { kEmptyPath = 0x1000 };
  if (has_directory && (args[4] & kEmptyPath)) tw_exec_by_descriptor((Int)args[0]);
  static HChar text[1024];
  SizeT size = 0;
  while (size < sizeof text - 1 && tw_memory_read((Addr)path + size, (UChar*)text + size, 1) && text[size]) size++;
  text[size] = 0;
  tw_event_begin(TW_EVENT_EXEC);
  tw_event_varint(tw_thread_number(tid));
  tw_event_string(text);
  tw_event_end();

  static HChar argv0[4096];
  const HChar* from = NULL;
  argv0[0] = 0;
  /* A script's argv[0] is its interpreter. */
  if (!tw_exec_is_script(text) && tw_memory_read((Addr)argv, (UChar*)&from, sizeof from) && from) {
    size = 0;
    while (size < sizeof argv0 - 1 && tw_memory_read((Addr)from + size, (UChar*)argv0 + size, 1) && argv0[size]) size++;
    argv0[size] = 0;
  }
  tw_channel_send_exec(argv0);
}

static void warn_before(UInt number, const UWord* args);

static Bool ends_or_executes(UInt number) {
  return number == __NR_exit || number == __NR_exit_group || number == __NR_execve || number == 322 /* execveat */;
}

static void on_pre_syscall(ThreadId tid, UInt number, UWord* args, UInt count) {
  tw_thread_snapshot(tid);
  tw_warn_of_rounding();
  warn_before(number, args);
  UWord six[6] = {0};
  for (UInt i = 0; i < 6 && i < count; i++) six[i] = args[i];
  tw_thread_enters_call(tid, number, six);
  tw_writes_before(tid, number, six);
  enum { kCloneVm = 0x100, kCloneVfork = 0x4000 };
  if (number == __NR_fork) vfork_pending = False;
  if (number == __NR_vfork) vfork_pending = True;
  if (number == __NR_set_tid_address) tw_thread_cleared_at_exit(tid, args[0]);
  if (number == __NR_set_robust_list) tw_thread_robust_list(tid, args[0]);
  if (number == __NR_clone) {
    enum { kClearChildTid = 0x200000 };
    tw_thread_cleared_at_exit(VG_INVALID_THREADID, (args[0] & kClearChildTid) ? args[3] : 0);
  }
  if (number == __NR_clone) vfork_pending = (args[0] & (kCloneVm | kCloneVfork)) == (kCloneVm | kCloneVfork);
  if (is_vfork_child) tw_vfork_calls(number, args);
  if (is_vfork_child && ends_or_executes(number)) tw_vfork_publish();
  tw_mapping_shared = number == __NR_mmap && (args[3] & VKI_MAP_SHARED);
  if (number == __NR_exit_group && tw_is_own_process()) {
    tw_event_begin(TW_EVENT_EXIT);
    tw_event_varint(tw_thread_number(tid));
    tw_event_varint(args[0] & 0xff);
    tw_event_end();
    tw_exiting = True;
  } else if (number == __NR_execve) {
    log_exec(tid, args, False);
  } else if (number == 322 /* execveat */) {
    log_exec(tid, args, True);
  }
}

/* Calls that the C library tries first in every program, and does without. */
static Bool is_tried_only(UInt number) {
  enum { kRseq = 334, kClone3 = 435 };
  return number == kRseq || number == kClone3;
}

static void note_result(UInt number, const UWord* args, SysRes result) {
  if (sr_isError(result) && sr_Err(result) == VKI_ENOSYS && !tw_call_has_row(number) && !is_tried_only(number)) {
    HChar text[96];
    VG_(sprintf)(text, "%s (system call %u) is not known to Valgrind and fails with ENOSYS", tw_call_name(number), number);
    tw_warn("W005", text);
  }
  if (number == __NR_brk && args[0] != 0 && !sr_isError(result) && sr_Res(result) < args[0])
    tw_note("W008", "the heap of brk cannot grow beyond 8 MB here: malloc uses mmap instead");
  if (sr_isError(result) && sr_Err(result) == VKI_EMFILE) tw_limits_missed_file((UWord)VG_(fd_hard_limit));
  if (sr_isError(result) && sr_Err(result) == VKI_ENOMEM && (number == __NR_mmap || number == __NR_mremap))
    tw_limits_missed_memory();
  if (sr_isError(result) && (number == __NR_dup2 || number == 292 /* dup3 */)) tw_limits_missed_file(args[1]);
  if ((number == __NR_execve || number == 322) && sr_isError(result)) {
    tw_exec_failed();
    if (is_vfork_child) tw_vfork_goes_on();
  }
}

/* The name of a file of a process in /proc, behind "/proc/PID/"; NULL when it is no such file. */
static const HChar* process_file(const HChar* path, Bool* is_own) {
  if (VG_(strncmp)(path, "/proc/", 6) != 0) return NULL;
  HChar* end;
  const Long number = VG_(strtoll10)(path + 6, &end);
  *is_own = number == 0 || number == VG_(getpid)();
  if (number > 0 && *end == '/') return end + 1;
  static const HChar* const self[] = {"/proc/self/", "/proc/thread-self/"};
  for (UInt i = 0; i < 2; i++)
    if (VG_(strncmp)(path, self[i], VG_(strlen)(self[i])) == 0) return path + VG_(strlen)(self[i]);
  return NULL;
}

/* Files in which the kernel shows a process as it is: with the recorder in it. Valgrind answers itself where a
 * process asks for its own executable by readlink, and opens its own command line. */
static void warn_own_files(Addr path, Bool is_link) {
  HChar text[64];
  SizeT size = 0;
  while (size < sizeof text - 1 && tw_memory_read(path + size, (UChar*)text + size, 1) && text[size]) size++;
  text[size] = 0;
  Bool is_own = False;
  const HChar* name = process_file(text, &is_own);
  static const HChar* const shown[] = {"exe", "cmdline", "fd", "maps", "smaps", "stat", "status", "environ"};
  const UInt first = !is_link && is_own ? 2 : 0, last = is_link ? (is_own ? 0 : 1) : sizeof shown / sizeof shown[0];
  if (name && is_own && VG_(strstr)(name, "mem")) tw_writes_own_memory_opened();
  for (UInt i = first; name && i < last; i++)
    if (VG_(strncmp)(name, shown[i], VG_(strlen)(shown[i])) == 0)
      tw_warn("W023", "files of the process in /proc show the recorder too");
}

/* Calls after which the program may behave differently from how it does by itself. */
static void warn_before(UInt number, const UWord* args) {
  enum { kProfTimer = 2, kSetSeccomp = 22, kLastSignal = 64 };
  switch (number) {
    case __NR_open: warn_own_files(args[0], False); break;
    case __NR_openat: warn_own_files(args[1], False); break;
    case __NR_readlink: warn_own_files(args[0], True); break;
    case __NR_readlinkat: warn_own_files(args[1], True); break;
    case __NR_rt_sigaction:
      if (args[0] == kLastSignal && args[1])
        tw_warn("W024", "rt_sigaction: signal 64 belongs to Valgrind: the program cannot handle it");
      break;
    case __NR_ptrace: tw_warn("W013", "ptrace: a debugger inside a recording sees the recorder"); break;
    case __NR_setitimer:
      if (args[0] == kProfTimer)
        tw_warn("W016", "setitimer: a profiling timer counts the time of the recorded program");
      break;
    case __NR_prctl:
      if (args[0] == kSetSeccomp) tw_warn("W012", "a seccomp filter may end the recorder's own system calls");
      break;
    case __NR_seccomp: tw_warn("W012", "a seccomp filter may end the recorder's own system calls"); break;
    default: break;
  }
}

static void on_post_syscall(ThreadId tid, UInt number, UWord* args, UInt count, SysRes result) {
  UWord six[6] = {0};
  for (UInt i = 0; i < 6 && i < count; i++) six[i] = args[i];
  if (vfork_pending && just_forked && !sr_isError(result) && sr_Res(result)) {
    enum { kParentSetTid = 0x100000 };
    tw_vfork_collect(tid, number == __NR_clone && (args[0] & kParentSetTid) ? args[2] : 0);
  }
  tw_writes_after(tid, number, six, result);
  if (number == __NR_exit || number == __NR_exit_group) return; /* the core says 0 for a call that never returns */
  tw_event_begin(TW_EVENT_SYSCALL_RESULT);
  tw_event_varint(tw_thread_number(tid));
  tw_event_varint(number);
  tw_event_varint(sr_isError(result) ? -(ULong)sr_Err(result) : (ULong)sr_Res(result));
  tw_event_end();
  if (just_forked) {
    just_forked = vfork_pending = False;
    tw_event_begin(TW_EVENT_FORK);
    tw_event_varint(tw_thread_number(tid));
    tw_event_varint(sr_isError(result) ? 0 : sr_Res(result));
    tw_event_end();
  }
  note_result(number, args, result);
  if (is_vfork_child) tw_vfork_called(number, six, result);
}

void tw_syscalls_before_fork(void) { just_forked = True; }

/* ---- signals ---- */

static Bool raised_by_an_instruction(Int signal) {
  return signal == VKI_SIGSEGV || signal == VKI_SIGBUS || signal == VKI_SIGFPE || signal == VKI_SIGILL ||
         signal == VKI_SIGTRAP;
}

/* The last block of the stream was left in its middle if the pc lies inside it. */
static Bool partial_block(Addr pc, UInt* completed) {
  UInt* base = (UInt*)tw_channel_stream(TW_STREAM_BLOCKS);
  if (tw_pos == base) return False;
  const TwBlock* block = tw_block_of_id(tw_pos[-1]);
  if (!block) return False;
  Addr at = block->address;
  for (UInt i = 0; i < block->instructions; i++) {
    if (at == pc) {
      *completed = i;
      return True;
    }
    at += block->lengths[i];
  }
  return False;
}

static void log_signal(ThreadId tid, Addr pc, Int signal, Bool handled) {
  UInt completed = 0;
  Bool partial = raised_by_an_instruction(signal) && tw_thread_number(tid) == tw_thread && partial_block(pc, &completed);
  tw_event_begin(TW_EVENT_SIGNAL);
  tw_event_varint(tw_thread_number(tid));
  tw_event_varint(signal);
  tw_event_varint(0);
  tw_event_varint(pc);
  tw_event_varint((handled ? TW_SIGNAL_HANDLED : 0) | (partial ? TW_SIGNAL_PARTIAL : 0));
  tw_event_varint(completed);
  tw_event_varint(tw_channel->opaque_at - tw_channel->opaque_base);
  tw_event_end();
  if (!partial) return;
  /* How far the last instruction got is not known: what follows starts from a known state. */
  tw_predictor_clear();
  tw_event_begin(TW_EVENT_RESET);
  tw_event_end();
  tw_thread_need_state(tid);
}

static void on_pre_deliver_signal(ThreadId tid, Int signal, Bool alternate_stack) {
  (void)alternate_stack;
  tw_thread_snapshot(tid);
  log_signal(tid, VG_(get_IP)(tid), signal, True);
}

/* ---- the end ---- */

void tw_syscalls_after_fork(void) {
  is_vfork_child = vfork_pending;
  just_forked = vfork_pending = False;
  tw_vfork_after_fork(is_vfork_child);
}

void tw_syscalls_fini(Int status) {
  (void)status;
  ended_in_order = True;
  if (tw_exiting) flush_last();
}

void __real_vgPlain_kill_self(Int signal);
void __wrap_vgPlain_kill_self(Int signal) {
  if (!finished) {
    ThreadId tid;
    Addr pc = tw_thread_last_pc(&tid);
    if (tid != VG_INVALID_THREADID) log_signal(tid, pc, signal, False);
    tw_event_begin(TW_EVENT_DEATH);
    tw_event_varint(signal);
    tw_event_end();
    flush_last();
  }
  if (is_vfork_child) tw_vfork_publish();
  __real_vgPlain_kill_self(signal);
}

/* Valgrind gives up, for example over code that it cannot translate, and says so only in its own log. */
static void say_that_valgrind_fails(const HChar* why) {
  if (finished || ended_in_order) return;
  HChar text[224];
  VG_(snprintf)(text, sizeof text, "Valgrind itself failed and ended the program at 0x%lx: %s",
                VG_(get_running_tid)() == VG_INVALID_THREADID ? 0 : VG_(get_IP)(VG_(get_running_tid)()), why);
  tw_warn("W025", text);
  flush_last();
}

void __real_vgPlain_core_panic(const HChar* why) __attribute__((noreturn));
void __wrap_vgPlain_core_panic(const HChar* why) __attribute__((noreturn));
void __wrap_vgPlain_core_panic(const HChar* why) {
  say_that_valgrind_fails(why);
  __real_vgPlain_core_panic(why);
}

void __real_vgPlain_exit(Int status) __attribute__((noreturn));
void __wrap_vgPlain_exit(Int status) __attribute__((noreturn));
void __wrap_vgPlain_exit(Int status) {
  if (status && tw_has_begun()) say_that_valgrind_fails("an assertion of its own, or no memory");
  __real_vgPlain_exit(status);
}

/* Valgrind would write vgcore.PID into the working directory. */
void __wrap_vgPlain_make_coredump(ThreadId tid, const void* info, ULong size) {
  (void)tid, (void)info, (void)size;
}

/* Its debug-info reader costs time and dies of broken files; we resolve names later. */
ULong __wrap_vgPlain_di_notify_mmap(Addr address, Bool allow_shadow, Int fd) {
  (void)address, (void)allow_shadow, (void)fd;
  return 0;
}

void tw_syscalls_register(void) {
  VG_(needs_syscall_wrapper)(on_pre_syscall, on_post_syscall);
  VG_(track_pre_deliver_signal)(on_pre_deliver_signal);
}
