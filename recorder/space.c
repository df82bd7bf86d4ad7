/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room for large mappings.
 *
 * Valgrind's address space manager divides the first 128 GiB between the program and itself, so that about
 * 60 GiB in one piece are the most it gives away; all above is reserved. But it lets a program that asks
 * for an address have one there, and knows such mappings like others. So where the manager finds no room
 * for the program, we find some above, and it is as if the program had asked for that address. */
#include "tool.h"

static const Addr kFirst = 1ULL << 40, kEnd = 0x700000000000ULL; /* beyond are the kernel's own and our first stack */

enum { kProgram = SkAnonC | SkFileC | SkShmC };

/* A hole of that size; 0: none. A page stays free beside each mapping. */
static Addr find_hole(SizeT size) {
  for (Addr at = kFirst; at < kEnd && size < kEnd - at;) {
    const NSegment* segment = VG_(am_find_nsegment)(at);
    if (!segment) return 0;
    if (segment->kind == SkResvn && segment->end - at >= size) return at;
    at = segment->end + 1 + (segment->kind == SkResvn ? 0 : VKI_PAGE_SIZE);
  }
  return 0;
}

static Addr place(Addr answer, SizeT size, Bool* ok) {
  if (*ok) return answer;
  const Addr found = find_hole(VG_PGROUNDUP(size));
  *ok = found != 0;
  return found;
}

Addr __real_vgPlain_am_get_advisory(const TwMapRequest* request, Bool for_client, Bool* ok);
Addr __wrap_vgPlain_am_get_advisory(const TwMapRequest* request, Bool for_client, Bool* ok);
Addr __wrap_vgPlain_am_get_advisory(const TwMapRequest* request, Bool for_client, Bool* ok) {
  const Addr answer = __real_vgPlain_am_get_advisory(request, for_client, ok);
  if (!for_client || request->kind == TW_MAP_REQUEST_FIXED || !request->size) return answer;
  return place(answer, request->size, ok);
}

/* The same for mremap, where the address 0 means any. */
Addr __real_vgPlain_am_get_advisory_client_simple(Addr start, SizeT size, Bool* ok);
Addr __wrap_vgPlain_am_get_advisory_client_simple(Addr start, SizeT size, Bool* ok);
Addr __wrap_vgPlain_am_get_advisory_client_simple(Addr start, SizeT size, Bool* ok) {
  const Addr answer = __real_vgPlain_am_get_advisory_client_simple(start, size, ok);
  return start || !size ? answer : place(answer, size, ok);
}

/* How many bytes there belong to segments of these kinds. */
static ULong taken(UInt kinds, Addr start, SizeT size) {
  Int count;
  Addr* starts = tw_memory_segments(kinds, &count);
  ULong sum = 0;
  for (Int i = 0; i < count; i++) {
    const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
    if (!segment) continue;
    const Addr first = VG_MAX(segment->start, start), last = VG_MIN(segment->end, start + size - 1);
    if (first <= last) sum += last + 1 - first;
  }
  VG_(free)(starts);
  return sum;
}

void tw_before_mremap(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  if (!tw_limits_allow((Long)(VG_PGROUNDUP(args->arg[2]) - VG_PGROUNDUP(args->arg[1])))) return tw_complete(status, -VKI_ENOMEM);
  tw_core_before(__NR_mremap, tid, layout, args, status, flags);
}

void tw_before_brk(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  if (args->arg[0] > VG_(brk_limit) && !tw_limits_allow((Long)(args->arg[0] - VG_(brk_limit))))
    return tw_complete(status, (Long)VG_(brk_limit));
  tw_core_before(__NR_brk, tid, layout, args, status, flags);
}

/* The core answers EINVAL whenever its manager says no, takes an odd hint for an error, and does not know
 * of MAP_FIXED_NOREPLACE. */
void tw_before_mmap(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  enum { kNoReplace = 0x100000 };
  TwCoreArgs changed = *args;
  if ((args->arg[3] & kNoReplace) && !(args->arg[3] & VKI_MAP_FIXED) && args->arg[1]) {
    if (taken(kProgram | SkAnonV | SkFileV, args->arg[0], VG_PGROUNDUP(args->arg[1])))
      return tw_complete(status, -VKI_EEXIST);
    changed.arg[3] |= VKI_MAP_FIXED;
  } else if (!(args->arg[3] & VKI_MAP_FIXED)) {
    changed.arg[0] = VG_PGROUNDUP(args->arg[0]);
  }
  const Bool is_fixed = (changed.arg[3] & VKI_MAP_FIXED) != 0;
  const SizeT size = VG_PGROUNDUP(args->arg[1]);
  if (tw_limits_of_memory() &&
      !tw_limits_allow((Long)(size - (is_fixed ? taken(kProgram, args->arg[0], size) : 0))))
    return tw_complete(status, -VKI_ENOMEM);
  tw_core_before(__NR_mmap, tid, layout, &changed, status, flags);
  if (!sr_isError(status->result) || sr_Err(status->result) != VKI_EINVAL || !args->arg[1]) return;
  if ((changed.arg[0] | args->arg[5]) & (VKI_PAGE_SIZE - 1)) return;
  Bool ok;
  const TwMapRequest request = {is_fixed ? TW_MAP_REQUEST_FIXED : TW_MAP_REQUEST_ANY, args->arg[0], args->arg[1]};
  __wrap_vgPlain_am_get_advisory(&request, True, &ok);
  if (ok) return; /* it was the kernel that did not like it */
  const Addr end = args->arg[0] + args->arg[1];
  if (is_fixed && end > args->arg[0] && end <= kEnd)
    tw_warn("W030", "mmap at an address where the recorder is fails");
  tw_complete(status, -VKI_ENOMEM);
}
