/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process made by vfork writes is there when its parent goes on.
 *
 * Such a child shares its parent's memory, and programs use that: posix_spawn tells why it failed, a shell
 * takes along what it noted. Under Valgrind the child must be a fork, for the recorder's own memory may not
 * be shared; the parent sleeps as it does natively (the kernel sees to that). So before the child executes
 * a program or ends, it puts the pages that it wrote into memory which both share, and its parent takes
 * them over when it wakes.
 *
 * Which pages these are the kernel knows: after a fork a page that nobody wrote is mapped by both, one that
 * the child wrote (or made) by the child alone, since its parent sleeps and holds on to the old one. In
 * /proc/self/pagemap that is a bit. What then differs from the parent's page is told as written.
 *
 * Where the parent has other threads, these may be in calls, and what the kernel writes for them meanwhile
 * must stay: it may stand on a page that the child wrote too, and the kernel's writing makes a page the child's
 * alone as well. So such a child has a process beside it that sleeps, and keeps the memory as it was: it makes
 * the bit mean what it shall, and what the child wrote is what differs from there, byte by byte.
 *
 * Its mappings are shared too: where it maps anonymous memory, gives some back, changes rights or grows its heap,
 * the parent does the same before it takes over what was written. Of a file it cannot, since the child's
 * descriptor is not its own. That is said, as is every other case in which it is not known what the child did. */
#include "tool.h"

#include "pub_tool_libcsignal.h"

enum { kBoxSize = 64 << 20, kEntries = 512, kAll = 0x40000000 /* __WALL */ };

/* New and zero for each child. Records follow. */
typedef struct {
  UInt is_filled;
  UInt is_incomplete;
  ULong size;
  UChar records[];
} Box;

/* What is to be done: a system call, or, with none, `size` bytes that follow go to the address. */
typedef struct {
  Addr address;
  ULong size;
  ULong call;
  ULong protection;
} Head;

typedef struct {
  Addr first, end;
} Range;

static Box* from_child;
static Box* to_parent;    /* in a child */
static Bool has_threads;  /* the parent */
static Range mapped[256]; /* by the child: what was there before is nothing to compare with */
static UInt mappings;
static Addr heap_end;     /* when it began */
static Int keeper;        /* the process that keeps the memory as it was; 0: none */

/* A child that makes such a child has a box of its own. */
void tw_vfork_prepare(void) {
  enum { kReadWrite = 3, kNoReserve = 0x4000 };
  has_threads = tw_thread_live() > 1;
  if (!from_child) from_child = VG_(am_shadow_alloc)(kBoxSize);
  if (!from_child) return;
  const Long got = tw_syscall(__NR_mmap, (ULong)from_child, kBoxSize, kReadWrite,
                              VKI_MAP_SHARED | VKI_MAP_ANONYMOUS | VKI_MAP_FIXED | kNoReserve, -1, 0);
  if (got != (Long)(ULong)from_child) from_child = NULL;
}

/* ---- in the child ---- */

/* Of a process that changed its user the kernel tells nobody else's, nor itself, what its memory is. */
static Long let_look(Bool look) {
  enum { kGetDumpable = 3, kSetDumpable = 4 };
  const Long before = tw_syscall(__NR_prctl, kGetDumpable, 0, 0, 0, 0, 0);
  tw_syscall(__NR_prctl, kSetDumpable, look, 0, 0, 0, 0);
  return before;
}

/* It shares our descriptors, so that it holds none, tells nobody of its end, and ends with us. */
static void keep_memory(void) {
  enum { kFiles = 0x400, kDeathSignal = 1 };
  vki_sigset_t all, before;
  VG_(memset)(&all, 0xff, sizeof all);
  VG_(sigprocmask)(VKI_SIG_SETMASK, &all, &before);
  const Int self = VG_(getpid)();
  const Long made = tw_syscall(__NR_clone, kFiles, 0, 0, 0, 0, 0);
  if (made == 0) {
    tw_syscall(__NR_prctl, kDeathSignal, VKI_SIGKILL, 0, 0, 0, 0);
    let_look(True);
    while (VG_(getppid)() == self) tw_syscall(__NR_pause, 0, 0, 0, 0, 0, 0);
    tw_syscall(__NR_exit_group, 0, 0, 0, 0, 0, 0);
  }
  VG_(sigprocmask)(VKI_SIG_SETMASK, &before, NULL);
  keeper = made > 0 ? (Int)made : 0;
}

static void end_keeper(void) {
  if (!keeper) return;
  tw_syscall(__NR_kill, (ULong)keeper, VKI_SIGKILL, 0, 0, 0, 0);
  tw_syscall(__NR_wait4, (ULong)keeper, 0, kAll, 0, 0, 0);
  keeper = 0;
}

void tw_vfork_after_fork(Bool is_vfork_child) {
  to_parent = is_vfork_child ? from_child : NULL;
  keeper = 0;
  mappings = 0;
  heap_end = VG_(brk_limit);
  if (!is_vfork_child) return;
  from_child = NULL;
  if (to_parent && has_threads) keep_memory();
}

void tw_vfork_goes_on(void) {
  if (to_parent && has_threads) keep_memory();
}

static void put(Head head, const UChar* bytes) {
  const SizeT size = head.call ? 0 : head.size;
  if (to_parent->size + sizeof head + size > kBoxSize - sizeof(Box)) {
    to_parent->is_incomplete = True;
    return;
  }
  VG_(memcpy)(to_parent->records + to_parent->size, &head, sizeof head);
  VG_(memcpy)(to_parent->records + to_parent->size + sizeof head, bytes, size);
  to_parent->size += sizeof head + size;
}

static void put_mapping(Head head, Addr first, Addr end) {
  put(head, NULL);
  if (mappings == sizeof mapped / sizeof mapped[0])
    to_parent->is_incomplete = True;
  else
    mapped[mappings++] = (Range){first, end};
}

void tw_vfork_called(UInt number, const UWord* args, SysRes result) {
  enum { kRemapPages = 216, kDontNeed = 4, kFree = 8 };
  if (!to_parent || sr_isError(result)) return;
  const Bool is_anonymous = (args[3] & VKI_MAP_ANONYMOUS) && (args[3] & VKI_MAP_PRIVATE);
  switch (number) {
    case __NR_mmap:
      if (is_anonymous)
        put_mapping((Head){sr_Res(result), args[1], number, args[2]}, sr_Res(result), sr_Res(result) + VG_PGROUNDUP(args[1]));
      else
        to_parent->is_incomplete = True;
      break;
    case __NR_munmap:
    case __NR_mprotect: put((Head){args[0], args[1], number, args[2]}, NULL); break;
    case __NR_brk:
      if (args[0]) put_mapping((Head){sr_Res(result), 0, number, 0}, VG_PGROUNDUP(heap_end), sr_Res(result));
      break;
    case __NR_madvise:
      if (args[2] == kDontNeed || args[2] == kFree) to_parent->is_incomplete = True;
      break;
    case __NR_mremap:
    case __NR_shmat:
    case __NR_shmdt:
    case kRemapPages: to_parent->is_incomplete = True; break;
    default: break;
  }
}

static Bool is_new(Addr page) {
  for (UInt i = 0; i < mappings; i++)
    if (page >= mapped[i].first && page < mapped[i].end) return True;
  return False;
}

static void put_difference(Addr page, const UChar* before, const UChar* now) {
  for (UInt i = 0; i < VKI_PAGE_SIZE;) {
    UInt end = i;
    while (end < VKI_PAGE_SIZE && before[end] != now[end]) end++;
    if (end > i) put((Head){page + i, end - i, 0, 0}, now + i);
    i = end + 1;
  }
}

static void put_page(Addr page) {
  static UChar now[VKI_PAGE_SIZE], before[VKI_PAGE_SIZE];
  if (!tw_memory_read(page, now, sizeof now)) return;
  if (!has_threads || is_new(page)) return put((Head){page, sizeof now, 0, 0}, now);
  struct {
    void* base;
    ULong size;
  } local = {before, sizeof before}, remote = {(void*)page, sizeof before};
  const Long got = tw_syscall(310 /* process_vm_readv */, (ULong)keeper, (ULong)&local, 1, (ULong)&remote, 1, 0);
  if (got == sizeof before)
    put_difference(page, before, now);
  else if (got != -VKI_EFAULT) /* what the stack grew by is nothing to the parent */
    to_parent->is_incomplete = True;
}

static Bool is_written(ULong entry) {
  const ULong present = 1ULL << 63, swapped = 1ULL << 62, of_file_or_shared = 1ULL << 61, only_here = 1ULL << 56;
  if (entry & of_file_or_shared) return False;
  return (entry & swapped) || ((entry & present) && (entry & only_here));
}

static Bool put_written(Int map, Addr start, Addr end) {
  static ULong entries[kEntries];
  for (Addr at = start; at < end;) {
    const SizeT wanted = VG_MIN((end - at) / VKI_PAGE_SIZE, kEntries);
    const Long got = tw_syscall(__NR_pread64, (ULong)map, (ULong)entries, wanted * 8, at / VKI_PAGE_SIZE * 8, 0, 0);
    if (got != (Long)(wanted * 8)) return False;
    for (SizeT i = 0; i < wanted; i++)
      if (is_written(entries[i])) put_page(at + i * VKI_PAGE_SIZE);
    at += wanted * VKI_PAGE_SIZE;
  }
  return True;
}

static Bool put_all(void) {
  SysRes opened = VG_(open)("/proc/self/pagemap", VKI_O_RDONLY, 0);
  if (sr_isError(opened)) return False;
  Int count;
  Addr* starts = tw_memory_segments(SkFileC | SkAnonC, &count);
  Bool is_all = True;
  for (Int i = 0; i < count; i++) {
    const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
    if (segment && segment->hasW && !put_written((Int)sr_Res(opened), segment->start, segment->end + 1)) is_all = False;
  }
  VG_(free)(starts);
  VG_(close)((Int)sr_Res(opened));
  return is_all;
}

/* What it wrote there until now cannot be taken over later. */
void tw_vfork_calls(UInt number, const UWord* args) {
  if (to_parent && number == __NR_mprotect && !(args[2] & VKI_PROT_WRITE) && !put_all()) to_parent->is_incomplete = True;
}

/* What comes after an execve that failed is added to what was before it. */
void tw_vfork_publish(void) {
  if (!to_parent) return;
  to_parent->is_filled = True;
  const Bool could_look = let_look(True) == 1;
  if (!put_all()) to_parent->is_incomplete = True;
  if (!could_look) let_look(False);
  end_keeper();
}

/* ---- in the parent ---- */

static void take(ThreadId tid, Addr address, SizeT size, const UChar* bytes) {
  if (!VG_(am_is_valid_for_client)(address, size, VKI_PROT_READ | VKI_PROT_WRITE)) return;
  UChar* here = (UChar*)address;
  for (SizeT i = 0; i < size;) {
    SizeT end = i;
    while (end < size && here[end] != bytes[end]) end++;
    if (end > i) {
      VG_(memcpy)(here + i, bytes + i, end - i);
      tw_memory_tell(TW_PART_SYSCALL, tid, address + i, end - i);
      const NSegment* segment = VG_(am_find_nsegment)(address);
      if (segment && segment->hasT) VG_(discard_translations)(address + i, end - i, "twinrun");
    }
    i = end + 1;
  }
}

static Bool do_again(ThreadId tid, const Head* head) {
  const UWord how = VKI_MAP_FIXED | VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS;
  const UWord args[6] = {head->address, head->size, head->protection, how, (UWord)-1, 0};
  return tw_core_does((UInt)head->call, tid, args);
}

static Bool take_all(ThreadId tid, const Box* box) {
  for (ULong at = 0; at < box->size;) {
    Head head;
    VG_(memcpy)(&head, box->records + at, sizeof head);
    at += sizeof head;
    if (head.call) {
      if (!do_again(tid, &head)) return False;
      continue;
    }
    take(tid, head.address, head.size, box->records + at);
    at += head.size;
  }
  return True;
}

void tw_vfork_collect(ThreadId tid, Addr number_at) {
  const Bool is_known = from_child && from_child->is_filled && !from_child->is_incomplete;
  /* The kernel wrote the child's number after its memory was made. */
  Int number = 0;
  const Bool has_number = number_at && tw_memory_read(number_at, (UChar*)&number, sizeof number);
  if (!is_known || !take_all(tid, from_child))
    tw_warn("W019", "what a process made by vfork wrote stays with it: it mapped a file, or was killed, or /proc cannot be read");
  if (has_number) *(Int*)number_at = number;
}
