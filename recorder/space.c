/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room for large mappings.
 *
 * Valgrind's address space manager divides the first 128 GiB between the program and itself, so that about
 * 60 GiB in one piece are the most it gives away; all above is reserved. But it lets a program that asks
 * for an address have one there, and knows such mappings like others. So where the manager finds no room
 * for the program, we find some above, and it is as if the program had asked for that address. */
#include "tool.h"

static const Addr kFirst = 1ULL << 40, kEnd = 0x700000000000ULL; /* beyond are the kernel's own and our first stack */

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

static Bool is_taken(Addr start, SizeT size) {
  const NSegment* segment = VG_(am_find_nsegment)(start);
  while (segment && (segment->kind == SkFree || segment->kind == SkResvn) && segment->end < start + size - 1)
    segment = VG_(am_next_nsegment)(segment, True);
  return segment && segment->kind != SkFree && segment->kind != SkResvn && segment->start < start + size;
}

/* The core answers EINVAL whenever its manager says no, takes an odd hint for an error, and does not know
 * of MAP_FIXED_NOREPLACE. */
void tw_before_mmap(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags) {
  enum { kNoReplace = 0x100000 };
  TwCoreArgs changed = *args;
  if ((args->arg[3] & kNoReplace) && !(args->arg[3] & VKI_MAP_FIXED) && args->arg[1]) {
    if (is_taken(args->arg[0], VG_PGROUNDUP(args->arg[1]))) return tw_complete(status, -VKI_EEXIST);
    changed.arg[3] |= VKI_MAP_FIXED;
  } else if (!(args->arg[3] & VKI_MAP_FIXED)) {
    changed.arg[0] = VG_PGROUNDUP(args->arg[0]);
  }
  tw_core_before(__NR_mmap, tid, layout, &changed, status, flags);
  const Bool is_fixed = (changed.arg[3] & VKI_MAP_FIXED) != 0;
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
