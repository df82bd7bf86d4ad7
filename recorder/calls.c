/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that we do ourselves, or otherwise than Valgrind's core.
 *
 * The core has a table of its handlers, one before and one after each call, and asks one function for
 * them: that one is wrapped at link time. A handler of ours completes the call (its result is all that the
 * core then looks at), or changes a copy of the arguments and lets the core's handler go on with it. */
#include "tool.h"

enum { kExecveat = 322 };

TwCoreEntry* __real_vgModuleLocal_get_linux_syscall_entry(UInt number);

void tw_core_before(UInt number, ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  __real_vgModuleLocal_get_linux_syscall_entry(number)->before(tid, layout, args, status, flags);
}

void tw_complete(TwCoreStatus* status, Long result) {
  status->what = TW_CORE_COMPLETE;
  status->result._val = result < 0 ? (UWord)-result : (UWord)result;
  status->result._isError = result < 0;
}

Bool tw_core_does(UInt number, ThreadId tid, const UWord* args) {
  TwCoreEntry* core = __real_vgModuleLocal_get_linux_syscall_entry(number);
  TwCoreArgs all = {.number = number, .arg = {args[0], args[1], args[2], args[3], args[4], args[5]}};
  TwCoreStatus status = {.what = TW_CORE_HAND_TO_KERNEL};
  UWord flags = 0;
  core->before(tid, NULL, &all, &status, &flags);
  if (status.what == TW_CORE_HAND_TO_KERNEL)
    tw_complete(&status, tw_syscall(number, all.arg[0], all.arg[1], all.arg[2], all.arg[3], all.arg[4], all.arg[5]));
  if (sr_isError(status.result)) return False;
  if (core->after) core->after(tid, &all, &status);
  return True;
}

/* What the core does after a call stays, but for getrlimit, where it would write its own idea of the limits. */
static TwCoreEntry* instead(TwCoreEntry* own, UInt number, TwBefore* before) {
  own->before = before;
  own->after = number == __NR_getrlimit ? NULL : __real_vgModuleLocal_get_linux_syscall_entry(number)->after;
  return own;
}

TwCoreEntry* __wrap_vgModuleLocal_get_linux_syscall_entry(UInt number);
TwCoreEntry* __wrap_vgModuleLocal_get_linux_syscall_entry(UInt number) {
  static TwCoreEntry clone, vfork, exit_group, execve, execveat, mmap, mremap, brk, setrlimit, getrlimit, prlimit;
  switch (number) {
    case __NR_clone: return instead(&clone, number, tw_before_clone);
    case __NR_vfork: return instead(&vfork, number, tw_before_vfork);
    case __NR_exit_group: return instead(&exit_group, number, tw_before_exit_group);
    case __NR_execve: return instead(&execve, number, tw_before_execve);
    case kExecveat: return instead(&execveat, number, tw_before_execve);
    case __NR_mmap: return instead(&mmap, number, tw_before_mmap);
    case __NR_mremap: return instead(&mremap, number, tw_before_mremap);
    case __NR_brk: return instead(&brk, number, tw_before_brk);
    case __NR_setrlimit: return instead(&setrlimit, number, tw_before_setrlimit);
    case __NR_getrlimit: return instead(&getrlimit, number, tw_before_getrlimit);
    case __NR_prlimit64: return instead(&prlimit, number, tw_before_prlimit);
    default: return __real_vgModuleLocal_get_linux_syscall_entry(number);
  }
}
