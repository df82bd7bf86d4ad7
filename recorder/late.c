/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that begins at a function.
 *
 * Until a process comes to it, its code is translated as it is, and what the rest of the recorder writes
 * goes into memory that nobody reads. The functions are places in files, so that nobody has to know where
 * they are mapped; a block that begins at one of them is translated to one that throws all translations
 * away and comes back to itself. Before the thread goes on, the stream begins: with what there is by
 * then, as that of a forked child, and with the descriptors that are open.
 *
 * Each process waits for itself; what a recorded process forks or executes is recorded from its start.
 */
#include "tool.h"

typedef struct {
  ULong device, inode, offset;
} Place;

static XArray* places;
static HChar* wait_digit;
static Bool has_forked;
static UChar reached;
static UChar* initial;  /* stack */
static Addr initial_address;
static SizeT initial_size;

void tw_late_wait(HChar* digit) {
  wait_digit = digit;
  tw_waiting = *digit == '1';
}

void tw_late_add(const HChar* text) {
  if (!places) places = VG_(newXA)(VG_(malloc), "tw.places", VG_(free), sizeof(Place));
  HChar* at;
  Place place;
  place.device = VG_(strtoull10)(text, &at);
  if (*at == ':') place.inode = VG_(strtoull10)(at + 1, &at);
  if (*at == ':') place.offset = VG_(strtoull10)(at + 1, &at);
  VG_(addToXA)(places, &place);
}

void tw_late_keep_stack(Addr address, SizeT size) {
  initial = VG_(malloc)("tw.initial", size);
  initial_address = address;
  initial_size = tw_memory_read(address, initial, size) ? size : 0;
}

void tw_late_before_fork(void) { has_forked = True; }

/* ---- waiting ---- */

static Bool is_wanted(Addr address) {
  const NSegment* segment = NULL;
  for (Word i = 0; i < VG_(sizeXA)(places); i++) {
    const Place* place = VG_(indexXA)(places, i);
    if ((address - place->offset) % VKI_PAGE_SIZE != 0) continue;
    if (!segment) segment = VG_(am_find_nsegment)(address);
    if (!segment || segment->kind != SkFileC) return False;
    if (segment->dev == place->device && segment->ino == place->inode &&
        segment->offset + (address - segment->start) == place->offset)
      return True;
  }
  return False;
}

IRSB* tw_late_instrument(IRSB* in) {
  Int first = 0;
  while (first < in->stmts_used && in->stmts[first]->tag != Ist_IMark) first++;
  if (first == in->stmts_used) return in;
  Addr address = (Addr)in->stmts[first]->Ist.IMark.addr;
  if (!is_wanted(address)) return in;
  /* What the core does for a block whose code has changed, for all code there is. */
  const ULong start = VKI_PAGE_SIZE;
  IRSB* out = deepCopyIRSBExceptStmts(in);
  addStmtToIRSB(out, IRStmt_Store(Iend_LE, IRExpr_Const(IRConst_U64((ULong)&reached)), IRExpr_Const(IRConst_U8(1))));
  addStmtToIRSB(out, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMSTART), IRExpr_Const(IRConst_U64(start))));
  addStmtToIRSB(out, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMLEN), IRExpr_Const(IRConst_U64(-start))));
  out->next = IRExpr_Const(IRConst_U64(address));
  out->jumpkind = Ijk_InvalICache;
  return out;
}

/* ---- the beginning ---- */

typedef struct {
  ULong inode, offset;
  UShort size;
  UChar type;
  HChar name[];
} DirectoryEntry;

static Bool same_file(const struct vg_stat* a, const struct vg_stat* b) { return a->dev == b->dev && a->ino == b->ino; }

/* Where the next read takes from, plus one; 0 when nobody can say: another descriptor of the file, or
 * another process, may move it. */
static ULong offset_of(Int fd, const struct vg_stat* info, Bool is_only) {
  enum { kKind = 0170000, kRegular = 0100000, kCurrent = 1 };
  if (has_forked || !is_only || (info->mode & kKind) != kRegular) return 0;
  Off64T at = VG_(lseek)(fd, 0, kCurrent);
  return at < 0 ? 0 : (ULong)at + 1;
}

static void log_descriptor(Int fd, XArray* all) {
  struct vg_stat info, other;
  if (VG_(fstat)(fd, &info) != 0) return;
  Bool is_only = True;
  for (Word i = 0; i < VG_(sizeXA)(all) && is_only; i++) {
    Int another = *(Int*)VG_(indexXA)(all, i);
    is_only = another == fd || VG_(fstat)(another, &other) != 0 || !same_file(&info, &other);
  }
  HChar link[64], path[1024];
  VG_(sprintf)(link, "/proc/self/fd/%d", fd);
  SSizeT size = VG_(readlink)(link, path, sizeof path - 1);
  path[size < 0 ? 0 : size] = 0;
  tw_event_begin(TW_EVENT_DESCRIPTOR);
  tw_event_varint(fd);
  tw_event_varint(offset_of(fd, &info, is_only));
  tw_event_string(path);
  tw_event_end();
}

static void log_descriptors(void) {
  SysRes opened = VG_(open)("/proc/self/fd", VKI_O_RDONLY, 0);
  if (sr_isError(opened)) return;
  const Int directory = (Int)sr_Res(opened);
  XArray* all = VG_(newXA)(VG_(malloc), "tw.descriptors", VG_(free), sizeof(Int));
  UChar text[4096] __attribute__((aligned(8)));
  Long got;
  while ((got = tw_syscall(__NR_getdents64, directory, (ULong)text, sizeof text, 0, 0, 0)) > 0) {
    for (Long at = 0; at < got;) {
      const DirectoryEntry* entry = (const DirectoryEntry*)(text + at);
      at += entry->size;
      Int fd = (Int)VG_(strtoll10)(entry->name, NULL);
      /* Those behind the program's limit are ours. */
      if (entry->name[0] != '.' && fd != directory && fd < VG_(fd_hard_limit)) VG_(addToXA)(all, &fd);
    }
  }
  VG_(close)(directory);
  for (Word i = 0; i < VG_(sizeXA)(all); i++) log_descriptor(*(Int*)VG_(indexXA)(all, i), all);
  VG_(deleteXA)(all);
}

/* The arguments and the environment are input, however late the recording begins. Words that the program
 * has changed since are told as changed unseen. */
static void log_initial_stack(void) {
  if (!initial) return;
  tw_event_data(TW_EVENT_INITIAL_STACK, 1, TW_PART_STARTUP, initial_address, initial_size, initial);
  SizeT changed = 0;  /* bytes right in front of `at` */
  for (SizeT at = 0; at <= initial_size; at += sizeof(ULong)) {
    ULong now;
    Bool is_end = at + sizeof now > initial_size;
    Bool is_same = is_end || (tw_memory_read(initial_address + at, (UChar*)&now, sizeof now) &&
                              VG_(memcmp)(&now, initial + at, sizeof now) == 0);
    if (is_same && changed > 0) tw_memory_clobbered(initial_address + at - changed, changed);
    changed = is_same ? 0 : changed + sizeof now;
  }
}

Bool tw_late_begins(ThreadId tid) {
  tw_thread_runs_unseen(tid);
  if (!reached) return False;
  tw_waiting = False;
  *wait_digit = '0';
  tw_channel_begin();
  tw_stream_begin();
  tw_thread_all_live();
  if (is_wanted(VG_(get_IP)(tid))) tw_thread_enters_function(tid);
  tw_memory_all_maps();
  log_initial_stack();
  log_descriptors();
  tw_say_again();
  return True;
}
