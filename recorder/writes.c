/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel writes into the program's memory, told to the recording when a call has returned.
 *
 * Valgrind's core tells such writes to its tools, but it is made for tools that ask whether memory is
 * defined: lengths that come back, offsets, many commands of ioctl are missing. So its word is not taken:
 * format/kernel_writes.def says what each call writes, as the kernel defines it, and is compiled into two
 * switches here: what to remember before the call, and what to tell after it.
 *
 * A call or command without a row is unknown. Then the core's word counts, or else the size in an ioctl's
 * number; and the memory that its arguments point to, and pointers in that, is kept before the call: of
 * 4 KiB behind each what changed is told. (What another thread does meanwhile to this memory is told
 * too: as a value it is right.)
 *
 * A thread may wait in its call while others make theirs, so what is kept is kept by thread. */
#include "tool.h"

enum {
#define SYSCALL(number, name, Name, arguments) kCall_##name = number,
#include "../format/syscalls.def"
#undef SYSCALL
};

enum { kWindow = 4096, kWindows = 24, kPointersInside = 16, kKeepAtMost = 1 << 20, kStillTheSame = 16 };

typedef struct {
  Addr address;
  UInt size;
  UInt at; /* in what is kept */
} Window;

typedef struct {
  Bool is_in_call;
  Bool is_known;
  Bool core_has_told;
  UInt windows;
  Window window[kWindows];
  UChar* kept;
  UInt kept_size, kept_room;
} Call;

static Call** calls; /* by Valgrind's thread id; made when a thread makes its first call */
static UInt allocated;

static Call* call_of(ThreadId tid) {
  if (tid >= allocated) {
    const UInt wanted = VG_MAX(64, (tid + 1) * 2);
    calls = VG_(realloc)("tw.calls", calls, wanted * sizeof *calls);
    VG_(memset)(calls + allocated, 0, (wanted - allocated) * sizeof *calls);
    allocated = wanted;
  }
  if (!calls[tid]) calls[tid] = VG_(calloc)("tw.call", 1, sizeof(Call));
  return calls[tid];
}

/* ---- what was there before ---- */

/* Nothing is kept of memory that cannot be read. */
static void remember(Call* call, Addr address, SizeT size) {
  if (!address || !size || size > kKeepAtMost || call->windows == kWindows) return;
  if (call->kept_size + size > call->kept_room) {
    call->kept_room = call->kept_size + size + kWindow;
    call->kept = VG_(realloc)("tw.kept", call->kept, call->kept_room);
  }
  if (!tw_memory_read(address, call->kept + call->kept_size, size)) return;
  call->window[call->windows++] = (Window){address, size, call->kept_size};
  call->kept_size += size;
}

static void was(const Call* call, Addr address, void* to, SizeT size) {
  VG_(memset)(to, 0, size);
  for (UInt i = 0; i < call->windows; i++) {
    const Window* window = &call->window[i];
    if (address < window->address || address + size > window->address + window->size) continue;
    VG_(memcpy)(to, call->kept + window->at + (address - window->address), size);
    return;
  }
}

static ULong now(Addr address, SizeT size) {
  ULong value = 0;
  if (!tw_memory_read(address, (UChar*)&value, size)) return 0;
  return value;
}

static UInt was_32(const Call* call, Addr address) {
  UInt value;
  was(call, address, &value, sizeof value);
  return value;
}
static ULong was_64(const Call* call, Addr address) {
  ULong value;
  was(call, address, &value, sizeof value);
  return value;
}

/* ---- words of the table ---- */

static void out(ThreadId tid, Addr address, SizeT size) {
  if (address) tw_memory_tell(TW_PART_SYSCALL, tid, address, size);
}

static SizeT out_vector(ThreadId tid, Addr vector, SizeT count, SizeT total) {
  const SizeT all = total;
  enum { kMost = 1024 };
  for (SizeT i = 0; i < VG_MIN(count, kMost) && total > 0; i++) {
    const SizeT size = VG_MIN(now(vector + 16 * i + 8, 8), total);
    out(tid, now(vector + 16 * i, 8), size);
    total -= size;
  }
  return all - total;
}

/* struct msghdr: the sender's name and its length, the pieces of data, control messages and how much of
 * them, flags. */
static void out_message(ThreadId tid, const Call* call, Addr message, SizeT data) {
  enum { kNameSize = 8, kVector = 16, kCount = 24, kControl = 32, kControlSize = 40, kFlags = 48 };
  const Addr name = now(message, 8);
  out_vector(tid, now(message + kVector, 8), now(message + kCount, 8), data);
  if (name) {
    out(tid, name, VG_MIN(was_32(call, message + kNameSize), (UInt)now(message + kNameSize, 4)));
    out(tid, message + kNameSize, 4);
  }
  out(tid, now(message + kControl, 8), VG_MIN(was_64(call, message + kControlSize), now(message + kControlSize, 8)));
  out(tid, message + kControlSize, 8);
  out(tid, message + kFlags, 4);
}

enum { kMessages = 64, kMessageSize = 56 }; /* struct mmsghdr */

static void out_messages(ThreadId tid, const Call* call, Addr messages, SizeT count) {
  for (SizeT i = 0; i < count; i++) {
    const Addr message = messages + i * kMessages;
    out_message(tid, call, message, now(message + kMessageSize, 4));
    out(tid, message + kMessageSize, 4);
  }
}

static void out_sent(ThreadId tid, Addr messages, SizeT count) {
  for (SizeT i = 0; i < count; i++) out(tid, messages + i * kMessages + kMessageSize, 4);
}

static void out_polled(ThreadId tid, Addr descriptors, SizeT count) {
  enum { kEntry = 8, kGot = 6 };
  for (SizeT i = 0; i < count; i++) out(tid, descriptors + i * kEntry + kGot, 2);
}

/* What is left of the time to wait, but not of none. */
static void out_time_left(ThreadId tid, const Call* call, Addr time) {
  if (time && (was_64(call, time) || was_64(call, time + 8))) out(tid, time, 16);
}

static void out_sets(ThreadId tid, const UWord* arg) {
  enum { kMost = 1 << 20, kBits = 64, kWord = 8 };
  if (arg[0] > kMost) return;
  for (UInt i = 1; i <= 3; i++) out(tid, arg[i], (arg[0] + kBits - 1) / kBits * kWord);
}

/* Linux's own asynchronous input: the kernel marks what it took, and has read when it says so. */
static void out_submitted(ThreadId tid, Addr blocks, SizeT count) {
  enum { kKey = 8 };
  for (SizeT i = 0; i < count; i++) {
    const Addr block = now(blocks + 8 * i, 8);
    if (block) out(tid, block + kKey, 4);
  }
}

static void out_completed(ThreadId tid, Addr events, SizeT count) {
  enum { kEvent = 32, kBlock = 8, kResult = 16, kOperation = 16, kBuffer = 24, kCount = 32, kRead = 0, kReadVector = 7 };
  for (SizeT i = 0; i < count; i++) {
    const Addr event = events + i * kEvent;
    out(tid, event, kEvent);
    const Addr block = now(event + kBlock, 8);
    const Long got = (Long)now(event + kResult, 8);
    const UInt operation = (UInt)now(block + kOperation, 2);
    if (got > 0 && operation == kRead) out(tid, now(block + kBuffer, 8), got);
    if (got > 0 && operation == kReadVector) out_vector(tid, now(block + kBuffer, 8), now(block + kCount, 8), got);
  }
}

/* Operations that change the word itself, whatever comes of them. */
static void out_futex(ThreadId tid, UInt operation, const UWord* arg) {
  enum { kWakeOp = 5, kLockPi = 6, kUnlockPi = 7, kTryLockPi = 8, kWaitRequeuePi = 11, kCmpRequeuePi = 12, kLockPi2 = 13 };
  switch (operation) {
    case kLockPi:
    case kUnlockPi:
    case kTryLockPi:
    case kLockPi2: out(tid, arg[0], 4); break;
    case kWakeOp:
    case kWaitRequeuePi:
    case kCmpRequeuePi: out(tid, arg[4], 4); break;
    default: break;
  }
}

static Bool is_capability(UInt version) {
  return version == 0x19980330 || version == 0x20071026 || version == 0x20080522;
}

static Bool reads_from(UWord descriptor) {
  enum { kGetFlags = 3, kAccess = 3 };
  const Long flags = tw_syscall(kCall_fcntl, descriptor, kGetFlags, 0, 0, 0, 0);
  return flags >= 0 && (flags & kAccess) == VKI_O_RDONLY;
}

static ULong semaphores_of(UWord set) {
  enum { kStat = 2, kCount = 10 };
  ULong state[13];
  return tw_syscall(kCall_semctl, set, 0, kStat, (ULong)state, 0, 0) < 0 ? 0 : state[kCount];
}

/* ---- files that are the program's own memory ---- */

static Bool own_memory_was_opened; /* most programs never do */

void tw_writes_own_memory_opened(void) { own_memory_was_opened = True; }

static Bool is_own_memory(UWord descriptor) {
  HChar link[64], target[64], own[32];
  VG_(sprintf)(link, "/proc/self/fd/%d", (Int)descriptor);
  VG_(sprintf)(own, "/proc/%d/", VG_(getpid)());
  const SSizeT size = VG_(readlink)(link, target, sizeof target - 1);
  if (size < 4) return False;
  target[size] = 0;
  return VG_(strncmp)(target, own, VG_(strlen)(own)) == 0 && VG_(strcmp)(target + size - 4, "/mem") == 0;
}

static ULong position_of(UWord descriptor) {
  enum { kFromHere = 1 };
  return (ULong)tw_syscall(kCall_lseek, descriptor, 0, kFromHere, 0, 0, 0);
}

#define OUT(address, size) out(tid, address, size);
#define IF(condition, ...) if (condition) { __VA_ARGS__ }
#define REMEMBER(address, size) remember(call, address, size);
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define now16(address) ((UShort)now(address, 2))
#define now32(address) ((UInt)now(address, 4))
#define now64(address) now(address, 8)
#define was32(address) was_32(call, address)
#define was64(address) was_64(call, address)
#define LENGTH(address, length) OUT(address, LESS(was32(length), now32(length))) OUT(length, 4)
#define VECTOR(vector, count, total) out_vector(tid, vector, count, total);
#define MESSAGE(message, size) out_message(tid, call, message, size);
#define MESSAGES(messages, count) out_messages(tid, call, messages, count);
#define SENT(messages, count) out_sent(tid, messages, count);
#define POLLED(descriptors, count) out_polled(tid, descriptors, count);
#define TIME_LEFT(time) out_time_left(tid, call, time);
#define SETS(count) out_sets(tid, arg);
#define SUBMITTED(blocks, count) out_submitted(tid, blocks, count);
#define COMPLETED(events, count) out_completed(tid, events, count);
#define FUTEX(operation) out_futex(tid, operation, arg);
#define POSITION position_of(arg[0])
#define OWN_MEMORY(descriptor, address, size) \
  if (own_memory_was_opened && is_own_memory(descriptor)) out(tid, address, size);
#define IS_CAPABILITY(version) is_capability(version)
#define IS_SELF(process) ((Int)(process) == VG_(getpid)())
#define READS_FROM(descriptor) reads_from(descriptor)
#define SEMAPHORES(set) semaphores_of(set)

/* ---- the table ---- */

#define KEY(call, command) ((ULong)(call) << 32 | (UInt)(command))

/* The row of a call: its own, or that of its command. */
static ULong key_of(UInt number, const UWord* arg) {
  switch (number) {
#define CALL(name, writes)
#define COMMANDS(name, n) case kCall_##name: return KEY(number, arg[n]);
#define COMMAND(name, command, NAME, writes)
#include "../format/kernel_writes.def"
    default: return KEY(number, 0);
  }
}

Bool tw_call_has_row(UInt number) {
  switch (number) {
#define CALL(name, writes) case kCall_##name:
#define COMMANDS(name, n) case kCall_##name:
#define COMMAND(name, command, NAME, writes)
#include "../format/kernel_writes.def"
      return True;
    default: return False;
  }
}

/* Keeps what the row asks for; False when there is no row. */
static Bool remember_by_table(Call* call, ULong key, const UWord* arg) {
  switch (key) {
#define CALL(name, writes) case KEY(kCall_##name, 0): return True;
#define AFTER(name, remembered, writes) case KEY(kCall_##name, 0): remembered return True;
#define ALWAYS(name, remembered, writes) AFTER(name, remembered, writes)
#define COMMAND(name, command, NAME, writes) case KEY(kCall_##name, command): return True;
#include "../format/kernel_writes.def"
    default: return False;
  }
}

static void tell_by_table(ThreadId tid, const Call* call, ULong key, const UWord* arg, ULong result, UInt error) {
  switch (key) {
#define CALL(name, writes) case KEY(kCall_##name, 0): if (!error) { writes } break;
#define ALWAYS(name, remembered, writes) case KEY(kCall_##name, 0): writes break;
#define COMMAND(name, command, NAME, writes) case KEY(kCall_##name, command): if (!error) { writes } break;
#include "../format/kernel_writes.def"
    default: break;
  }
}

/* ---- unknown calls ---- */

static Bool is_kept(const Call* call, Addr address) {
  for (UInt i = 0; i < call->windows; i++)
    if (address >= call->window[i].address && address < call->window[i].address + call->window[i].size) return True;
  return False;
}

/* Up to 4 KiB of writable memory; less where it ends. */
static void remember_around(Call* call, Addr address) {
  if (address < VKI_PAGE_SIZE || is_kept(call, address)) return;
  if (!VG_(am_is_valid_for_client)(address, 1, VKI_PROT_READ | VKI_PROT_WRITE)) return;
  SizeT size = kWindow;
  if (!VG_(am_is_valid_for_client)(address, size, VKI_PROT_READ | VKI_PROT_WRITE))
    size = VKI_PAGE_SIZE - address % VKI_PAGE_SIZE;
  remember(call, address, size);
}

static UInt size_in_number(UWord command) {
  enum { kKernelWrites = 2 };
  const UInt size = command >> 16 & 0x3fff;
  return command >> 30 & kKernelWrites ? size : 0;
}

/* As many as syscalls.def has; what is in the registers behind them is nobody's. */
static UInt arguments_of(UInt number) {
  switch (number) {
#define SYSCALL(number, name, Name, arguments) case number: return arguments[0] == '?' ? 6 : sizeof arguments - 1;
#include "../format/syscalls.def"
#undef SYSCALL
    default: return 6;
  }
}

static void remember_unknown(Call* call, UInt number, const UWord* arg) {
  for (UInt i = 0; i < arguments_of(number); i++) remember_around(call, arg[i]);
  if (number != kCall_ioctl) return;
  for (UInt i = 0; i < kPointersInside; i++) {
    Addr inside;
    was(call, arg[2] + i * sizeof inside, &inside, sizeof inside);
    remember_around(call, inside);
  }
}

/* Bytes that are the same for a while end a change. */
static void tell_changes(ThreadId tid, const Window* window, const UChar* before, const UChar* after) {
  UInt i = 0;
  while (i < window->size) {
    if (i + 8 <= window->size && *(const ULong*)(before + i) == *(const ULong*)(after + i)) { /* nearly always */
      i += 8;
      continue;
    }
    if (before[i] == after[i]) {
      i++;
      continue;
    }
    UInt last = i;
    for (UInt j = i; j < window->size && j <= last + kStillTheSame; j++)
      if (before[j] != after[j]) last = j;
    out(tid, window->address + i, last + 1 - i);
    i = last + 1;
  }
}

static void tell_unknown(ThreadId tid, const Call* call, UInt number, const UWord* arg, Bool failed) {
  if (number == kCall_ioctl && !failed && !call->core_has_told && size_in_number(arg[1]))
    out(tid, arg[2], size_in_number(arg[1]));
  static UChar after[kWindow];
  for (UInt i = 0; i < call->windows; i++) {
    const Window* window = &call->window[i];
    if (tw_memory_read(window->address, after, window->size))
      tell_changes(tid, window, call->kept + window->at, after);
  }
}

static void note_unknown(UInt number, const UWord* arg) {
  HChar text[160];
  if (number == kCall_ioctl)
    VG_(snprintf)(text, sizeof text, "what ioctl 0x%x writes is not known: what changed within 4 KiB is recorded", (UInt)arg[1]);
  else
    VG_(snprintf)(text, sizeof text, "what %s writes is not known here: what changed within 4 KiB is recorded", tw_call_name(number));
  tw_note("W028", text);
}

/* ---- */

void tw_writes_before(ThreadId tid, UInt number, const UWord* arg) {
  Call* call = call_of(tid);
  call->is_in_call = tw_values && !tw_waiting;
  if (!call->is_in_call) return;
  call->core_has_told = False;
  call->windows = call->kept_size = 0;
  call->is_known = remember_by_table(call, key_of(number, arg), arg);
  if (!call->is_known) remember_unknown(call, number, arg);
}

void tw_writes_after(ThreadId tid, UInt number, const UWord* arg, SysRes answer) {
  Call* call = call_of(tid);
  if (!call->is_in_call) return;
  call->is_in_call = False;
  const UInt error = sr_isError(answer) ? sr_Err(answer) : 0;
  if (call->is_known) {
    tell_by_table(tid, call, key_of(number, arg), arg, error ? 0 : sr_Res(answer), error);
  } else if (error != VKI_ENOSYS) {
    tell_unknown(tid, call, number, arg, error != 0);
    if (!error && call->windows) note_unknown(number, arg);
  }
  if (call->kept_room <= kKeepAtMost / 16) return;
  VG_(free)(call->kept); /* rare and large */
  call->kept = NULL;
  call->kept_room = 0;
}

Bool tw_writes_from_core(ThreadId tid) {
  Call* call = call_of(tid);
  if (!call->is_in_call) return True;
  call->core_has_told = True;
  return !call->is_known;
}

const HChar* tw_call_name(UInt number) {
  switch (number) {
#define SYSCALL(number, name, Name, arguments) case number: return #name;
#include "../format/syscalls.def"
#undef SYSCALL
    default: return "an unnamed system call";
  }
}
