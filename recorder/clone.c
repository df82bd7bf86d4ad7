/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and threads, in all the kinds that clone can make.
 *
 * Valgrind's core knows two: a thread that shares all, and a fork that shares nothing; anything between
 * ends the program. Here
 *   - a thread (CLONE_THREAD) that keeps files or directories to itself is made as one that shares them and
 *     gives that up (unshare) before it runs;
 *   - a process that shares memory for good (CLONE_VM without CLONE_VFORK) runs as a thread of the core, for
 *     memory is what it was made to share. The kernel has it as the process that it is: it has a number of
 *     its own, and its parent waits for it. It cannot execute a program, which would take the others' memory away;
 *   - all others are forks. With CLONE_VFORK the parent sleeps until the child is done and then has what that
 *     wrote (vfork.c); directories (CLONE_FS) can really be shared, the table of descriptors cannot, because
 *     each process has some for its recorder. */
#include "tool.h"

#include "pub_tool_libcsignal.h"

enum {
  kVm = 0x100,
  kFs = 0x200,
  kFiles = 0x400,
  kSignalHandlers = 0x800,
  kPidFd = 0x1000,
  kVfork = 0x4000,
  kThread = 0x10000,
  kSetTls = 0x80000,
  kParentSetTid = 0x100000,
  kChildClearTid = 0x200000,
  kChildSetTid = 0x1000000,
  kSignal = 0xff,
};

static Int own_process; /* whose stream this is */

static Bool is_writable(Addr address, SizeT size) { return VG_(am_is_valid_for_client)(address, size, VKI_PROT_WRITE); }

/* What the kernel would say at once; 0: nothing. */
static Long refused(const TwCoreArgs* args) {
  const ULong flags = args->arg[0];
  if ((flags & kThread && !(flags & kSignalHandlers)) || (flags & kSignalHandlers && !(flags & kVm))) return -VKI_EINVAL;
  if (flags & (kParentSetTid | kPidFd) && !is_writable(args->arg[2], sizeof(Int))) return -VKI_EFAULT;
  if (flags & (kChildSetTid | kChildClearTid) && !is_writable(args->arg[3], sizeof(Int))) return -VKI_EFAULT;
  return 0;
}

void tw_clone_begin(void) { own_process = VG_(getpid)(); }

Bool tw_is_own_process(void) { return VG_(getpid)() == own_process; }

/* The kernel writes a new thread's number when that begins, of which we do not hear: the next moment is as
 * good as any later one. */
static void wait_for_number(ThreadId tid, Addr at, Int number) {
  enum { kPatience = 1 << 20 };
  for (UInt i = 0; i < kPatience && *(volatile Int*)at != number; i++) tw_syscall(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
  tw_memory_tell(TW_PART_SYSCALL, tid, at, sizeof number);
}

static void make_thread(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  const ULong asked = args->arg[0];
  TwCoreArgs changed = *args;
  changed.arg[0] = (asked & ~(ULong)kVfork) | kFs | kFiles | kSignalHandlers;
  tw_thread_unshares_at_start(~asked & (kFs | kFiles));
  tw_core_before(__NR_clone, tid, layout, &changed, status, flags);
  if (!sr_isError(status->result) && (asked & kChildSetTid)) wait_for_number(tid, args->arg[3], (Int)sr_Res(status->result));
}

static Long fork_process(ThreadId tid, ULong flags, const TwCoreArgs* args) {
  vki_sigset_t all, before;
  VG_(memset)(&all, 0xff, sizeof all);
  VG_(sigprocmask)(VKI_SIG_SETMASK, &all, &before); /* the child is mended without being interrupted */
  if ((flags & (kVm | kVfork)) == (kVm | kVfork)) tw_vfork_prepare();
  VG_(do_atfork_pre)(tid);
  const ULong kept = flags & ~(ULong)(kVm | kFiles | kSignalHandlers | kSetTls);
  const Long made = tw_syscall(__NR_clone, kept, 0, args->arg[2], args->arg[3], 0, 0);
  if (made == 0) {
    if (args->arg[1]) tw_set_register(tid, offsetof(VexGuestAMD64State, guest_RSP), args->arg[1]);
    if (flags & kSetTls) tw_set_register(tid, offsetof(VexGuestAMD64State, guest_FS_CONST), args->arg[4]);
    VG_(do_atfork_child)(tid);
  } else if (made > 0) {
    VG_(do_atfork_parent)(tid);
  }
  VG_(sigprocmask)(VKI_SIG_SETMASK, &before, NULL);
  return made;
}

void tw_before_clone(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  static const HChar shared_files[] =
      "clone: the descriptors of a process are its own here; it asked to share them with the one that made it";
  static const HChar shared_memory[] =
      "clone: a process that shares memory runs as a thread here: it cannot execute a program, and shares the "
      "handlers of signals too";
  const ULong asked = args->arg[0];
  const Long error = refused(args);
  if (error) return tw_complete(status, error);
  if (asked & kThread || (asked & (kVm | kVfork)) == kVm) {
    if (!(asked & kThread)) tw_warn("W029", shared_memory);
    return make_thread(tid, layout, args, status, flags);
  }
  if (asked & kFiles) tw_warn("W029", shared_files);
  const Long made = fork_process(tid, asked, args);
  tw_complete(status, made);
  if (made > 0) *flags |= TW_CORE_YIELD_AFTER;
}

void tw_before_vfork(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  (void)layout, (void)args;
  const TwCoreArgs none = {0};
  const Long made = fork_process(tid, kVfork | kVm | VKI_SIGCHLD, &none);
  tw_complete(status, made);
  if (made > 0) *flags |= TW_CORE_YIELD_AFTER;
}

/* The core would end all threads, also those of the process whose memory this one shares. */
void tw_before_exit_group(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  tw_core_before(tw_is_own_process() ? __NR_exit_group : __NR_exit, tid, layout, args, status, flags);
}

void tw_before_execve(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  if (tw_is_own_process()) return tw_core_before(args->number, tid, layout, args, status, flags);
  tw_warn("W029", "execve: a process that shares memory runs as a thread here, and cannot execute a program");
  tw_complete(status, -VKI_ENOSYS);
}
