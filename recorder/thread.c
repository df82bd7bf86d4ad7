/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads, their registers, and their call rings.
 *
 * Valgrind runs one thread at a time, so a process has one stream and an event says who runs. Each
 * thread's registers are logged when it first runs in a chunk; what changes them from outside (a
 * system call's result, a signal frame, a client request) is logged as the words that differ from a
 * snapshot taken before.
 */
#include "tool.h"

#define kStateSize sizeof(VexGuestAMD64State)
enum { kRingBytes = TW_CALL_RING * sizeof(TwCall), kCallsLogged = 16384, kDeltasPerSlab = 4096 };

typedef struct {
  UInt number;
  Bool is_live;
  Bool seen_in_chunk;
  Bool snapshot_taken;
  Bool needs_state;
  TwCall* ring;
  ULong ring_at;
  UChar* snapshot;
  Addr cleared_at_exit;
  UWord unshares_at_start; /* until it has run */
  Addr robust_list;       /* of locks that the kernel marks when the thread dies with them */
  Bool is_in_call;  /* right in the time before the stream only */
  UInt call;        /* the last one that it made */
  UWord args[6];
} Thread;

TwCall* tw_ring;
ULong tw_ring_at;
UInt tw_thread;

static Thread* threads;  /* by Valgrind's thread id */
static ThreadId running = VG_INVALID_THREADID;
static ThreadId last_running = VG_INVALID_THREADID;
static Addr last_pc;        /* where it ended */
static UInt last_number;
static UInt allocated;

/* Predicted stack pointer differences, one per calling block; 1 never matches. */
typedef struct Slab {
  struct Slab* next;
  UInt used;
  Long delta[kDeltasPerSlab];
} Slab;
static Slab* slabs;

Long* tw_delta_new(void) {
  if (!slabs || slabs->used == kDeltasPerSlab) {
    Slab* slab = VG_(malloc)("tw.deltas", sizeof(Slab));
    slab->next = slabs;
    slab->used = 0;
    slabs = slab;
  }
  Long* delta = &slabs->delta[slabs->used++];
  *delta = 1;
  return delta;
}

static Thread* thread_of(ThreadId tid) {
  if (tid >= allocated) {
    UInt wanted = VG_MAX(64, (tid + 1) * 2);
    threads = VG_(realloc)("tw.threads", threads, wanted * sizeof(Thread));
    VG_(memset)(threads + allocated, 0, (wanted - allocated) * sizeof(Thread));
    allocated = wanted;
  }
  return &threads[tid];
}

UInt tw_thread_number(ThreadId tid) { return thread_of(tid)->number; }

UInt tw_thread_live(void) {
  UInt live = 0;
  for (UInt i = 0; i < allocated; i++) live += threads[i].is_live;
  return live;
}

static void read_state(ThreadId tid, UChar* to) {
  VG_(get_shadow_regs_area)(tid, to, 0, 0, kStateSize);
  VG_(memset)(to, 0, 16);  /* the scheduler's event counter: not the guest's */
}

/* The kernel sets the thread's id to 0 when it ends, which others wait for. */
static Addr next_cleared_at_exit;

void tw_thread_cleared_at_exit(ThreadId tid, Addr address) {
  if (tid == VG_INVALID_THREADID)
    next_cleared_at_exit = address;
  else
    thread_of(tid)->cleared_at_exit = address;
}

/* Of what clone shared with the next thread it keeps some to itself. */
static UWord next_unshares_at_start;

void tw_thread_unshares_at_start(UWord flags) { next_unshares_at_start = flags; }

void tw_thread_robust_list(ThreadId tid, Addr head) { thread_of(tid)->robust_list = head; }

/* The locks that the thread holds: their words will say that their owner died. */
static void clobber_robust_locks(Addr head) {
  enum { kMost = 2048, kGetTid = 186, kOwner = 0x3fffffff };
  struct {
    Addr next;
    Long offset; /* of a lock's word from its entry */
    Addr pending;
  } list;
  if (!head || !tw_memory_read(head, (UChar*)&list, sizeof list)) return;
  const UInt self = (UInt)tw_syscall(kGetTid, 0, 0, 0, 0, 0, 0);
  Addr entry = list.next;
  for (UInt i = 0; i <= kMost; i++) {
    const Bool is_last = entry == head || i == kMost;
    if (is_last) entry = list.pending;
    const Addr at = (entry & ~1UL) + list.offset;
    UInt word;
    if (entry && tw_memory_read(at, (UChar*)&word, sizeof word) && (word & kOwner) == self)
      tw_memory_clobbered(at, sizeof word);
    if (is_last || !tw_memory_read(entry & ~1UL, (UChar*)&entry, sizeof entry)) return;
  }
}

static void give_ring(Thread* thread) {
  if (thread->ring) return;
  thread->ring = VG_(am_shadow_alloc)(kRingBytes);
  tl_assert(thread->ring);
}

static void log_start(UInt number, UInt parent) {
  tw_event_begin(TW_EVENT_THREAD_START);
  tw_event_varint(number);
  tw_event_varint(parent);
  tw_event_end();
}

void tw_thread_start(ThreadId parent, ThreadId tid) {
  Thread* thread = thread_of(tid);
  TwCall* ring = thread->ring;
  UChar* snapshot = thread->snapshot;
  if (ring) VG_(memset)(ring, 0, kRingBytes);
  VG_(memset)(thread, 0, sizeof *thread);
  thread->ring = ring;
  thread->snapshot = snapshot;
  thread->number = ++last_number;
  thread->is_live = True;
  thread->cleared_at_exit = next_cleared_at_exit;
  next_cleared_at_exit = 0;
  thread->unshares_at_start = next_unshares_at_start;
  next_unshares_at_start = 0;
  log_start(thread->number, parent == VG_INVALID_THREADID ? 0 : tw_thread_number(parent));
}

void tw_thread_exit(ThreadId tid) {
  Thread* thread = thread_of(tid);
  tw_event_begin(TW_EVENT_THREAD_EXIT);
  tw_event_varint(thread->number);
  tw_event_end();
  if (thread->cleared_at_exit) tw_memory_clobbered(thread->cleared_at_exit, sizeof(Int));
  clobber_robust_locks(thread->robust_list);
  thread->is_live = False;
  thread->seen_in_chunk = False;
  thread->snapshot_taken = False;
  if (tid != running) return;
  thread->ring_at = tw_ring_at;
  last_pc = VG_(get_IP)(tid);
  running = VG_INVALID_THREADID;
}

Addr tw_thread_last_pc(ThreadId* tid) {
  *tid = last_running;
  return running == VG_INVALID_THREADID ? last_pc : VG_(get_IP)(running);
}

void tw_thread_after_fork(ThreadId tid) {
  Thread self = *thread_of(tid);
  for (UInt i = 0; i < allocated; i++) {
    if (i == tid) continue;
    threads[i].is_live = False;
    if (threads[i].ring) VG_(memset)(threads[i].ring, 0, kRingBytes);
  }
  self.number = last_number = 1;
  self.robust_list = 0;
  *thread_of(tid) = self;
  last_running = tid;
  if (tw_waiting) return;
  tw_thread = 1;
  running = tid;
}

/* ---- in the time before the stream ---- */

static void log_call(const Thread* thread) {
  tw_event_begin(TW_EVENT_SYSCALL);
  tw_event_varint(thread->number);
  tw_event_varint(thread->call);
  for (UInt i = 0; i < 6; i++) tw_event_varint(thread->args[i]);
  tw_event_end();
}

void tw_thread_enters_call(ThreadId tid, UInt number, const UWord* args) {
  Thread* thread = thread_of(tid);
  thread->is_in_call = True;
  thread->call = number;
  VG_(memcpy)(thread->args, args, sizeof thread->args);
  log_call(thread);
}

void tw_thread_runs_unseen(ThreadId tid) {
  last_running = tid;
  thread_of(tid)->is_in_call = False;
}

void tw_thread_enters_function(ThreadId tid) {
  Thread* thread = thread_of(tid);
  give_ring(thread);
  TwCall* entry = thread->ring + 1;
  thread->ring_at = sizeof *entry;
  entry->sp = VG_(get_SP)(tid);
  entry->block = 0;
}

void tw_thread_all_live(void) {
  for (UInt i = 0; i < allocated; i++) {
    Thread* thread = &threads[i];
    if (!thread->is_live) continue;
    log_start(thread->number, 0);
    /* Its result will follow. */
    if (thread->is_in_call) log_call(thread);
  }
}

/* ---- what changes registers from outside ---- */

void tw_thread_snapshot(ThreadId tid) {
  Thread* thread = thread_of(tid);
  if (thread->snapshot_taken || tw_waiting || !tw_values) return;
  if (!thread->snapshot) thread->snapshot = VG_(malloc)("tw.snapshot", kStateSize);
  read_state(tid, thread->snapshot);
  thread->snapshot_taken = True;
}

void tw_thread_need_state(ThreadId tid) { thread_of(tid)->needs_state = True; }

void tw_set_register(ThreadId tid, PtrdiffT offset, ULong value) {
  VG_(set_shadow_regs_area)(tid, 0, offset, sizeof value, (UChar*)&value);
}

void tw_thread_state(ThreadId tid, UInt reason) {
  if (!tw_values) return;
  UChar state[kStateSize];
  read_state(tid, state);
  tw_event_begin(TW_EVENT_STATE);
  tw_event_varint(thread_of(tid)->number);
  tw_event_varint(reason);
  tw_event_bytes(state, kStateSize);
  tw_event_end();
}

static void log_changes(ThreadId tid) {
  Thread* thread = thread_of(tid);
  UChar state[kStateSize];
  read_state(tid, state);
  Bool begun = False;
  for (UInt offset = 0; offset + 8 <= kStateSize; offset += 8) {
    if (*(ULong*)(state + offset) == *(ULong*)(thread->snapshot + offset)) continue;
    if (!begun) {
      tw_event_begin(TW_EVENT_STATE_DELTA);
      tw_event_varint(thread->number);
      begun = True;
    }
    tw_event_varint(offset);
    tw_event_bytes(state + offset, 8);
  }
  if (begun) tw_event_end();
}

/* The live entries of a ring, innermost first. Entries further out than kCallsLogged are forgotten,
 * in the ring as well as in the log. */
static void log_calls(Thread* thread) {
  static UChar payload[kCallsLogged * 16 + 32];
  TwCall* ring = thread->ring;
  UInt count = 0;
  ULong at = thread->ring_at;
  for (; count < kCallsLogged && *(ULong*)((UChar*)ring + at); count++) at = (at - sizeof(TwCall)) & (kRingBytes - 1);
  for (UInt left = TW_CALL_RING - count; left > 0 && ((TwCall*)((UChar*)ring + at))->sp; left--) {
    ((TwCall*)((UChar*)ring + at))->sp = 0;
    at = (at - sizeof(TwCall)) & (kRingBytes - 1);
  }
  UChar* to = tw_put_varint(payload, thread->number);
  to = tw_put_varint(to, count);
  ULong before = 0;
  at = thread->ring_at;
  for (UInt i = 0; i < count; i++) {
    TwCall* entry = (TwCall*)((UChar*)ring + at);
    to = tw_put_varint(to, entry->sp - before);
    to = tw_put_varint(to, entry->block);
    before = entry->sp;
    at = (at - sizeof(TwCall)) & (kRingBytes - 1);
  }
  tw_event_whole(TW_EVENT_CALLS, payload, to - payload);
}

static void log_for_chunk(ThreadId tid, UInt reason) {
  Thread* thread = thread_of(tid);
  thread->seen_in_chunk = True;
  tw_thread_state(tid, reason);
  log_calls(thread);
}

void tw_thread_segment_start(Bool chunk) {
  if (chunk) {
    for (UInt i = 0; i < allocated; i++) threads[i].seen_in_chunk = False;
    for (Slab* slab = slabs; slab; slab = slab->next)
      for (UInt i = 0; i < slab->used; i++) slab->delta[i] = 1;
  }
  if (running == VG_INVALID_THREADID) return;
  Thread* thread = thread_of(running);
  thread->ring_at = tw_ring_at;
  /* Inside a system call its result may be in the registers already, ahead of the event that says so:
   * nothing to compare a computation with. */
  UInt reason = thread->snapshot_taken ? TW_STATE_SWITCH : chunk ? TW_STATE_CHUNK : TW_STATE_CHECKPOINT;
  if (chunk)
    log_for_chunk(running, reason);
  else
    tw_thread_state(running, reason);
}

/* The thread is about to run translated code. */
void tw_thread_run(ThreadId tid, ULong blocks_done) {
  (void)blocks_done;
  Thread* thread = thread_of(tid);
  if (tid != running || tw_thread != thread->number) {
    if (running != VG_INVALID_THREADID) thread_of(running)->ring_at = tw_ring_at;
    give_ring(thread);
    running = last_running = tid;
    tw_ring = thread->ring;
    tw_ring_at = thread->ring_at;
    tw_event_begin(TW_EVENT_THREAD_SWITCH);
    tw_event_varint(thread->number);
    tw_event_end();
    tw_thread = thread->number;
    if (!thread->seen_in_chunk) {
      log_for_chunk(tid, TW_STATE_SWITCH);
      thread->snapshot_taken = False;
      thread->needs_state = False;
    }
  }
  if (thread->needs_state)
    tw_thread_state(tid, TW_STATE_SWITCH);
  else if (thread->snapshot_taken)
    log_changes(tid);
  if (thread->unshares_at_start) tw_syscall(__NR_unshare, thread->unshares_at_start, 0, 0, 0, 0, 0);
  thread->unshares_at_start = 0;
  thread->needs_state = False;
  thread->snapshot_taken = False;
}

/* ---- stack pointer prediction: called from a block whose prediction was wrong ---- */

static TwCall* top(void) { return (TwCall*)((UChar*)tw_ring + tw_ring_at); }

static void pop(void) {
  top()->sp = 0;
  tw_ring_at = (tw_ring_at - sizeof(TwCall)) & (kRingBytes - 1);
}

void tw_call_missed(ULong sp, UInt block, Long* delta) {
  (void)block;
  tw_event_in_block(TW_EVENT_STACK, TW_STACK_CALL, sp);
  while (top()->sp && top()->sp <= sp) pop();
  Long difference = (Long)(sp - top()->sp);
  *delta = top()->sp && difference < 0 ? difference : 1;
}

/* The block itself pops one entry afterwards. */
void tw_return_missed(ULong sp) {
  tw_event_in_block(TW_EVENT_STACK, TW_STACK_RETURN, sp);
  while (top()->sp && top()->sp < sp) pop();
  tw_ring_at = (tw_ring_at + sizeof(TwCall)) & (kRingBytes - 1);
}
