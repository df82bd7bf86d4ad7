/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits on resources, as the program has them.
 *
 * Open files. The recorder's descriptors lie above the program's, so the process may have more of them
 * than the program. What the program knows of its limit is kept here, and in our command line for the
 * programs that it executes; the core enforces it where descriptors are made. When the program raises its
 * limit, ours move up. Only where the kernel does not let us go higher does the program get fewer than
 * its limit says, and a warning when it runs out of them.
 *
 * The stack. The core reserves room for the first thread's stack when a program starts, at most 16 MiB, and
 * lets it grow there. The kernel instead looks at the limit whenever the stack grows, and the limit may
 * change; so does this: much room is reserved, and growth beyond the limit is refused. The kernel has the
 * limit too, for programs that are executed.
 *
 * Address space. Ours would count in the kernel's sum, so the program's mappings are added up here. A limit from
 * before the recording that the driver could not lift holds for both together. The limit on data (RLIMIT_DATA)
 * does not hold at all; both is said. */
#include "tool.h"

enum { kReserved = 12 /* descriptors that the core wants */, kMostFiles = 1 << 20, kDigits = 20, kAddressSpace = 9 /* RLIMIT_AS */ };

typedef struct vki_rlimit Limit;

static const ULong kLeastStack = 1 << 20; /* for the recorder of a program that is executed */

static Limit files, address_space;
/* Three pairs of numbers, of fixed width. */
static HChar* digits;

/* ---- whether the process may raise a limit ---- */

static Bool has_resource_capability(void) {
  enum { kCapget = 125, kVersion = 0x20080522, kSysResource = 24 };
  struct {
    UInt version;
    Int process;
  } head = {kVersion, 0};
  struct {
    UInt effective, permitted, inheritable;
  } sets[2] = {{0}};
  return tw_syscall(kCapget, (ULong)&head, (ULong)sets, 0, 0, 0, 0) == 0 && (sets[0].effective >> kSysResource & 1);
}

static Limit kernel_limit(UInt which) {
  Limit limit = {0, 0};
  tw_syscall(__NR_prlimit64, 0, which, 0, (ULong)&limit, 0, 0);
  return limit;
}

static Long set_kernel_limit(UInt which, ULong cur, ULong max) {
  const Limit limit = {cur, max};
  return tw_syscall(__NR_prlimit64, 0, which, (ULong)&limit, 0, 0, 0);
}

/* ---- in our command line ---- */

static Limit* const told[] = {&files, &address_space, &VG_(client_rlimit_stack)};

static void write_number(HChar* to, ULong value) {
  for (Int i = kDigits; i-- > 0; value /= 10) to[i] = (HChar)('0' + value % 10);
}

/* For the programs that are executed. */
static void tell_next(void) {
  for (UInt i = 0; digits && i < sizeof told / sizeof told[0]; i++) {
    write_number(digits + 2 * i * (kDigits + 1), told[i]->rlim_cur);
    write_number(digits + (2 * i + 1) * (kDigits + 1), told[i]->rlim_max);
  }
}

void tw_limits_of_program(HChar* text) {
  HChar* at = text;
  for (UInt i = 0; i < sizeof told / sizeof told[0]; i++) {
    told[i]->rlim_cur = VG_(strtoull10)(at, &at);
    if (*at++ != ',') return;
    told[i]->rlim_max = VG_(strtoull10)(at, &at);
    if (*at) at++;
  }
  digits = text;
}

/* The core has left the place above the limit that the kernel has, which is at least the program's. */
void tw_limits_begin(void) {
  const Limit stack = VG_(client_rlimit_stack);
  if (!digits) {
    files.rlim_cur = files.rlim_max = (ULong)VG_(fd_soft_limit);
    address_space = kernel_limit(kAddressSpace);
  }
  VG_(fd_soft_limit) = (Int)VG_MIN(files.rlim_cur, (ULong)VG_(fd_hard_limit));
  set_kernel_limit(VKI_RLIMIT_STACK, stack.rlim_cur, kernel_limit(VKI_RLIMIT_STACK).rlim_max);
}

/* ---- open files ---- */

void tw_limits_missed_file(UWord wanted) {
  if (wanted < (ULong)VG_(fd_hard_limit) || wanted >= files.rlim_cur) return;
  HChar text[128];
  VG_(sprintf)(text, "RLIMIT_NOFILE: of the descriptors that the program may have, those from %d on belong to the recorder",
               VG_(fd_hard_limit));
  tw_warn("W007", text);
}

/* Where ours would have to begin so that the program can have as many descriptors, as far as the kernel
 * allows that. */
static Long make_room(ULong wanted) {
  const Limit now = kernel_limit(VKI_RLIMIT_NOFILE);
  ULong begin = VG_MIN(wanted, (ULong)kMostFiles);
  if (begin + kReserved > now.rlim_max && set_kernel_limit(VKI_RLIMIT_NOFILE, begin + kReserved, begin + kReserved) < 0)
    begin = now.rlim_max > kReserved ? now.rlim_max - kReserved : 0;
  if (begin <= (ULong)VG_(fd_hard_limit)) return VG_(fd_hard_limit);
  set_kernel_limit(VKI_RLIMIT_NOFILE, begin + kReserved, VG_MAX(now.rlim_max, begin + kReserved));
  return (Long)begin;
}

static Long set_files(Limit limit) {
  if (limit.rlim_cur > limit.rlim_max) return -VKI_EINVAL;
  if (limit.rlim_max > files.rlim_max) {
    const Limit now = kernel_limit(VKI_RLIMIT_NOFILE);
    if (!has_resource_capability()) return -VKI_EPERM;
    if (limit.rlim_max > now.rlim_max && set_kernel_limit(VKI_RLIMIT_NOFILE, now.rlim_cur, limit.rlim_max) < 0) return -VKI_EPERM;
  }
  if (limit.rlim_cur > (ULong)VG_(fd_hard_limit)) {
    const Int begin = (Int)make_room(limit.rlim_cur);
    if (begin > VG_(fd_hard_limit)) {
      VG_(fd_hard_limit) = begin;
      tw_channel_move_up();
    }
  }
  VG_(fd_soft_limit) = (Int)VG_MIN(limit.rlim_cur, (ULong)VG_(fd_hard_limit));
  files = limit;
  tell_next();
  return 0;
}

/* ---- programs that are executed ---- */

/* One that is not recorded has its limits from the kernel; one that is finds them in our command line, and its
 * recorder the place for descriptors where it was, and a stack to begin with. */
void tw_limits_for_exec(Bool is_recorded) {
  const Limit now = kernel_limit(VKI_RLIMIT_NOFILE), stack = kernel_limit(VKI_RLIMIT_STACK);
  if (is_recorded) {
    set_kernel_limit(VKI_RLIMIT_NOFILE, (ULong)VG_(fd_hard_limit), now.rlim_max);
    set_kernel_limit(VKI_RLIMIT_STACK, VG_MIN(VG_MAX(stack.rlim_cur, kLeastStack), stack.rlim_max), stack.rlim_max);
    return;
  }
  set_kernel_limit(VKI_RLIMIT_NOFILE, files.rlim_cur, VG_MAX(files.rlim_max, files.rlim_cur));
  set_kernel_limit(kAddressSpace, VG_MIN(address_space.rlim_cur, kernel_limit(kAddressSpace).rlim_max),
                   kernel_limit(kAddressSpace).rlim_max);
}

void tw_limits_after_failed_exec(void) {
  const Limit now = kernel_limit(VKI_RLIMIT_NOFILE), space = kernel_limit(kAddressSpace);
  const ULong wanted = (ULong)VG_(fd_hard_limit) + kReserved;
  if (set_kernel_limit(VKI_RLIMIT_NOFILE, wanted, VG_MAX(wanted, now.rlim_max)) < 0)
    set_kernel_limit(VKI_RLIMIT_NOFILE, now.rlim_max, now.rlim_max);
  set_kernel_limit(kAddressSpace, space.rlim_max, space.rlim_max);
  set_kernel_limit(VKI_RLIMIT_STACK, VG_(client_rlimit_stack).rlim_cur, kernel_limit(VKI_RLIMIT_STACK).rlim_max);
}

Bool tw_limits_are_too_low(void) {
  const ULong least_memory = 144ULL << 20, least_stack = 112 << 10;
  return kernel_limit(kAddressSpace).rlim_cur < least_memory || kernel_limit(VKI_RLIMIT_STACK).rlim_max < least_stack;
}

/* ---- the stack ---- */

static const ULong kMostStack = 16ULL << 30, kLeastRoom = 128 << 20, kForUs = 2 << 20;
static ULong put_before_stack; /* it begins lower here than it would */

void tw_limits_stack_begins_lower(ULong by) { put_before_stack = by; }

/* The core asks for the limit of the stack once, before it makes one. */
Int __real_vgPlain_getrlimit(Int which, Limit* limit);
Int __wrap_vgPlain_getrlimit(Int which, Limit* limit);
Int __wrap_vgPlain_getrlimit(Int which, Limit* limit) {
  const Int answer = __real_vgPlain_getrlimit(which, limit);
  if (limit == &VG_(client_rlimit_stack))
    VG_(clo_main_stacksize) = (Word)(VG_MAX(VG_MIN(limit->rlim_cur, kMostStack), kLeastRoom) + kForUs);
  return answer;
}

const NSegment* __real_vgPlain_am_extend_into_adjacent_reservation_client(Addr address, SSizeT delta, Bool* overflow);
const NSegment* __wrap_vgPlain_am_extend_into_adjacent_reservation_client(Addr address, SSizeT delta, Bool* overflow);
const NSegment* __wrap_vgPlain_am_extend_into_adjacent_reservation_client(Addr address, SSizeT delta, Bool* overflow) {
  const ULong most = VG_MIN(VG_(client_rlimit_stack).rlim_cur, kMostStack) + put_before_stack;
  if (delta < 0 && VG_(clstk_end) + 1 - (address + delta) > most) {
    *overflow = True;
    return NULL;
  }
  return __real_vgPlain_am_extend_into_adjacent_reservation_client(address, delta, overflow);
}

static Bool may_set(Limit limit, Limit before) {
  return limit.rlim_max <= before.rlim_max || has_resource_capability();
}

/* The kernel's upper limit stays so that a recorder could still begin. */
static Long set_stack(Limit limit) {
  if (limit.rlim_cur > limit.rlim_max) return -VKI_EINVAL;
  if (!may_set(limit, VG_(client_rlimit_stack))) return -VKI_EPERM;
  const ULong most = kernel_limit(VKI_RLIMIT_STACK).rlim_max;
  const ULong wanted = limit.rlim_max > most ? limit.rlim_max : VG_MIN(most, VG_MAX(limit.rlim_max, kLeastStack));
  const Long answer = set_kernel_limit(VKI_RLIMIT_STACK, limit.rlim_cur, wanted);
  if (answer < 0) return answer;
  VG_(client_rlimit_stack) = limit;
  tell_next();
  return 0;
}

/* ---- memory ---- */

static Long set_data(Limit limit) {
  const Limit before = VG_(client_rlimit_data);
  if (limit.rlim_cur > limit.rlim_max) return -VKI_EINVAL;
  if (!may_set(limit, before)) return -VKI_EPERM;
  if (limit.rlim_cur < before.rlim_cur) tw_warn("W031", "RLIMIT_DATA does not hold here: the recorder's memory would count too");
  VG_(client_rlimit_data) = limit;
  return 0;
}

static Long set_address_space(Limit limit) {
  if (limit.rlim_cur > limit.rlim_max) return -VKI_EINVAL;
  if (!may_set(limit, address_space)) return -VKI_EPERM;
  address_space = limit;
  tell_next();
  return 0;
}

Bool tw_limits_of_memory(void) { return address_space.rlim_cur != VKI_RLIM_INFINITY; }

Bool tw_limits_allow(Long more) {
  if (!tw_limits_of_memory() || more <= 0) return True;
  ULong sum = (ULong)more;
  Int count;
  Addr* starts = tw_memory_segments(SkFileC | SkAnonC | SkShmC, &count);
  for (Int i = 0; i < count; i++) {
    const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
    if (segment) sum += segment->end + 1 - segment->start;
  }
  VG_(free)(starts);
  return sum <= address_space.rlim_cur;
}

void tw_limits_missed_memory(void) {
  if (kernel_limit(kAddressSpace).rlim_cur != VKI_RLIM_INFINITY && tw_limits_allow(1))
    tw_warn("W031", "RLIMIT_AS: the recorder's memory counts too, because the limit is from before the recording");
}

/* ---- the calls ---- */

static Bool is_ours(UWord which) {
  return which == VKI_RLIMIT_NOFILE || which == VKI_RLIMIT_STACK || which == VKI_RLIMIT_DATA || which == kAddressSpace;
}

static Limit ours(UWord which) {
  if (which == VKI_RLIMIT_STACK) return VG_(client_rlimit_stack);
  if (which == VKI_RLIMIT_DATA) return VG_(client_rlimit_data);
  if (which == kAddressSpace) return address_space;
  return files;
}

static Long set(UWord which, Addr from) {
  Limit limit;
  if (!tw_memory_read(from, (UChar*)&limit, sizeof limit)) return -VKI_EFAULT;
  switch (which) {
    case VKI_RLIMIT_STACK: return set_stack(limit);
    case VKI_RLIMIT_DATA: return set_data(limit);
    case kAddressSpace: return set_address_space(limit);
    default: return set_files(limit);
  }
}

static Long tell(Limit limit, Addr to) {
  if (!VG_(am_is_valid_for_client)(to, sizeof limit, VKI_PROT_WRITE)) return -VKI_EFAULT;
  *(Limit*)to = limit;
  return 0;
}

void tw_before_setrlimit(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  if (!is_ours(args->arg[0])) return tw_core_before(__NR_setrlimit, tid, layout, args, status, flags);
  tw_complete(status, set(args->arg[0], args->arg[1]));
}

void tw_before_getrlimit(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  if (!is_ours(args->arg[0])) return tw_core_before(__NR_getrlimit, tid, layout, args, status, flags);
  tw_complete(status, tell(ours(args->arg[0]), args->arg[1]));
}

void tw_before_prlimit(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  const Bool is_self = args->arg[0] == 0 || (Int)args->arg[0] == VG_(getpid)();
  if (!is_self || !is_ours(args->arg[1])) return tw_core_before(__NR_prlimit64, tid, layout, args, status, flags);
  const Limit before = ours(args->arg[1]);
  Long answer = args->arg[2] ? set(args->arg[1], args->arg[2]) : 0;
  if (answer == 0 && args->arg[3]) answer = tell(before, args->arg[3]);
  tw_complete(status, answer);
}
