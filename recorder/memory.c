/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory: the load predictor, mappings, and the bytes that system calls read and write. */
#include "tool.h"

UChar tw_predictor[TW_PREDICTOR_SIZE + 32] __attribute__((aligned(4096)));

enum { kFileReadThroughKernel = 4096 };

void tw_predictor_clear(void) {
  if (tw_values) VG_(memset)(tw_predictor, 0, sizeof tw_predictor);
}

/* Bytes that came from outside, in pieces that do not wrap; the 32 bytes past the end belong to
 * loads and stores that begin before it and are left alone. */
void tw_predictor_write(Addr address, const UChar* bytes, SizeT size) {
  if (size > TW_PREDICTOR_SIZE) {
    address += size - TW_PREDICTOR_SIZE;
    bytes += size - TW_PREDICTOR_SIZE;
    size = TW_PREDICTOR_SIZE;
  }
  ULong at = address & (TW_PREDICTOR_SIZE - 1);
  SizeT first = VG_MIN(size, TW_PREDICTOR_SIZE - at);
  VG_(memcpy)(tw_predictor + at, bytes, first);
  VG_(memcpy)(tw_predictor, bytes + first, size - first);
}

/* ---- load misses: called from blocks ---- */

static inline void missed(ULong address, const void* value, UInt size, ULong load) {
  TwSlot* slot = tw_channel_slot();
  UInt ordinal = (UInt)(tw_pos - (UInt*)tw_channel_stream(TW_STREAM_BLOCKS)) - 1;
  *(UInt*)(tw_channel_stream(TW_STREAM_MISS_POS) + slot->size[TW_STREAM_MISS_POS]) =
      ordinal << TW_MISS_LOAD_BITS | (UInt)load;
  __builtin_memcpy(tw_channel_stream(TW_STREAM_MISS_VAL) + slot->size[TW_STREAM_MISS_VAL], value, size);
  slot->size[TW_STREAM_MISS_VAL] += size;
  slot->size[TW_STREAM_MISS_POS] += 4;
  __builtin_memcpy(tw_predictor + (address & (TW_PREDICTOR_SIZE - 1)), value, size);
  if (slot->size[TW_STREAM_MISS_POS] + (64 << 10) > tw_channel->stream_capacity[TW_STREAM_MISS_POS] ||
      slot->size[TW_STREAM_MISS_VAL] + (64 << 10) > tw_channel->stream_capacity[TW_STREAM_MISS_VAL])
    tw_stream_force_check();
}

void tw_missed_1(ULong address, ULong value, ULong load) { missed(address, &value, 1, load); }
void tw_missed_2(ULong address, ULong value, ULong load) { missed(address, &value, 2, load); }
void tw_missed_4(ULong address, ULong value, ULong load) { missed(address, &value, 4, load); }
void tw_missed_8(ULong address, ULong value, ULong load) { missed(address, &value, 8, load); }
UChar tw_vector[32] __attribute__((aligned(32)));
void tw_missed_vector(ULong address, ULong size_and_load) {
  missed(address, tw_vector, (UInt)(size_and_load & 0xff), size_and_load >> 8);
}

/* A guarded load that happened: rare (masked moves), so the check is made here. */
void tw_guarded_load(ULong address, ULong size_and_load) {
  UInt size = (UInt)(size_and_load & 0xff);
  if (VG_(memcmp)(tw_predictor + (address & (TW_PREDICTOR_SIZE - 1)), (void*)address, size) != 0)
    missed(address, (void*)address, size, size_and_load >> 8);
}

void tw_guarded_store(ULong address, ULong size) {
  VG_(memcpy)(tw_predictor + (address & (TW_PREDICTOR_SIZE - 1)), (void*)address, size);
}

/* ---- what the kernel reads and writes ---- */

/* A page of a mapped file can be missing although it is mapped, and reading it in here would kill us;
 * the kernel reads it with an error instead. */
Bool tw_memory_read(Addr address, UChar* to, SizeT size) {
  if (!VG_(am_is_valid_for_client)(address, size, VKI_PROT_READ)) return False;
  const NSegment* segment = VG_(am_find_nsegment)(address);
  if (segment && segment->kind == SkAnonC && segment->end >= address + size - 1) {
    VG_(memcpy)(to, (void*)address, size);
    return True;
  }
  struct {
    void* base;
    ULong size;
  } local = {to, size}, remote = {(void*)address, size};
  return tw_syscall(310 /* process_vm_readv */, VG_(getpid)(), (ULong)&local, 1, (ULong)&remote, 1, 0) == (Long)size;
}

static UInt part_of(CorePart part) {
  switch (part) {
    case Vg_CoreSysCall:
    case Vg_CoreSysCallArgInMem: return TW_PART_SYSCALL;
    case Vg_CoreSignal: return TW_PART_SIGNAL;
    case Vg_CoreStartup: return TW_PART_STARTUP;
    default: return TW_PART_OTHER;
  }
}

static void on_pre_mem_read(CorePart part, ThreadId tid, const HChar* what, Addr address, SizeT size) {
  (void)what;
  if (!tw_values || tw_waiting || size == 0 || part_of(part) != TW_PART_SYSCALL) return;
  if (!VG_(am_is_valid_for_client)(address, size, VKI_PROT_READ)) return;
  tw_event_data(TW_EVENT_READ, tw_thread_number(tid), TW_PART_SYSCALL, address, size, NULL);
}

static void on_pre_mem_read_string(CorePart part, ThreadId tid, const HChar* what, Addr address) {
  SizeT size = 0;
  UChar byte = 1;
  if (tw_waiting) return;
  while (byte && size < 65536 && tw_memory_read(address + size, &byte, 1)) size++;
  on_pre_mem_read(part, tid, what, address, size);
}

void tw_memory_clobbered(Addr address, SizeT length) {
  if (!tw_values) return;
  tw_event_begin(TW_EVENT_CLOBBERED);
  tw_event_varint(address);
  tw_event_varint(length);
  tw_event_end();
}

void tw_memory_tell(UInt part, ThreadId tid, Addr address, SizeT size) {
  if (!tw_values || size == 0) return;
  if (!VG_(am_is_valid_for_client)(address, size, VKI_PROT_READ)) return;
  tw_event_data(TW_EVENT_WRITTEN, tw_thread_number(tid), part, address, size, NULL);
}

/* The core's word: of system calls only where we know nothing better. */
static void on_post_mem_write(CorePart part, ThreadId tid, Addr address, SizeT size) {
  if (part_of(part) == TW_PART_SYSCALL && !tw_writes_from_core(tid)) return;
  tw_memory_tell(part_of(part), tid, address, size);
  /* Behind the frame of a signal the core keeps the registers, written after this call. */
  const Addr sp = VG_(get_SP)(tid), behind = address + size;
  const SizeT kept = 3 * sizeof(VexGuestAMD64State) + 64;
  if (part == Vg_CoreSignal && size > 256)
    tw_memory_clobbered(behind, behind < sp && sp - behind < kept + 256 ? sp - VG_STACK_REDZONE_SZB - behind : kept);
}

/* ---- mappings ---- */

/* The GNU build id in the notes of the ELF file mapped at `at`; its size, 0 when there is none. */
static SizeT build_id(Addr at, SizeT length, UChar* id) {
  UChar* file = (UChar*)at;
  if (length < 64 || *(UInt*)file != 0x464c457f || file[4] != 2) return 0;
  ULong headers = *(ULong*)(file + 32);
  UInt entry_size = *(UShort*)(file + 54), count = *(UShort*)(file + 56);
  if (entry_size < 56) return 0;
  for (UInt i = 0; i < count; i++) {
    ULong entry = headers + (ULong)i * entry_size;
    if (entry + 56 > length) return 0;
    if (*(UInt*)(file + entry) != 4 /* PT_NOTE */) continue;
    ULong note = *(ULong*)(file + entry + 8), end = note + *(ULong*)(file + entry + 32);
    if (end > length || note > end) continue;
    while (note + 16 <= end) {
      UInt name_size = *(UInt*)(file + note), size = *(UInt*)(file + note + 4), type = *(UInt*)(file + note + 8);
      ULong data = note + 12 + ((name_size + 3) & ~3u);
      if (data + size > end) break;
      if (type == 3 && name_size == 4 && *(UInt*)(file + note + 12) == 0x554e47 && size <= 64) {
        VG_(memcpy)(id, file + data, size);
        return size;
      }
      note = data + ((size + 3) & ~3u);
    }
  }
  return 0;
}

Bool tw_mapping_shared;

static void log_map(Addr address, SizeT length, UInt prot, UInt kind) {
  const NSegment* segment = VG_(am_find_nsegment)(address);
  const HChar* path = segment && segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
  /* The core lends the client a page of its own code, to return from signals. */
  if (path && VG_(strncmp)(path, VG_(libdir), VG_(strlen)(VG_(libdir))) == 0) path = NULL;
  UChar id[64];
  SizeT id_size = 0;
  ULong offset = 0;
  if (path) {
    offset = segment->offset + (address - segment->start);
    UChar page[4096];
    SizeT sample = VG_MIN(length, sizeof page);
    if (offset == 0 && (prot & 1) && tw_memory_read(address, page, sample)) id_size = build_id((Addr)page, sample, id);
  }
  tw_event_begin(TW_EVENT_MAP);
  tw_event_varint(address);
  tw_event_varint(length);
  tw_event_varint(prot);
  tw_event_varint(path ? TW_MAP_FILE : segment && segment->kind == SkShmC ? TW_MAP_SHM : kind);
  tw_event_varint(offset);
  tw_event_varint(path ? segment->dev : 0);
  tw_event_varint(path ? segment->ino : 0);
  tw_event_string(path ? path : "");
  tw_event_varint(id_size);
  tw_event_bytes(id, id_size);
  tw_event_end();
}

/* ---- code that changes without a word ---- */

/* From here on every block is compared with the code it was made from before it runs. (The core's
 * default leaves out code that came from files; the stricter setting is the one before it.) */
static void check_all_code(Addr address, SizeT length, const HChar* code, const HChar* text) {
  static Int strict;
  if (!strict) strict = VG_(clo_smc_check) - 1;
  VG_(clo_smc_check) = strict;
  VG_(discard_translations)(address, length, "twinrun");
  tw_note(code, text);
}

/* Is the file mapped here also mapped, somewhere else, writable (for code) or executable (for data)? */
static void look_for_alias(Addr address) {
  const NSegment* here = VG_(am_find_nsegment)(address);
  if (!here || here->ino == 0 || (here->kind != SkFileC && here->kind != SkShmC)) return;
  if (!here->hasX && !here->hasW) return;
  Addr starts[512];
  Int count = VG_(am_get_segment_starts)(SkFileC | SkShmC, starts, 512);
  for (Int i = 0; i < count; i++) {
    const NSegment* other = VG_(am_find_nsegment)(starts[i]);
    if (!other || other == here || other->ino != here->ino || other->dev != here->dev) continue;
    if (!((here->hasX && other->hasW && !other->hasX) || (here->hasW && !here->hasX && other->hasX))) continue;
    /* A private mapping of a file, such as a library's data, does not change its code. */
    const NSegment* writable = here->hasW ? here : other;
    const HChar* name = VG_(am_get_filename)(writable);
    if (!name || VG_(strncmp)(name, "/memfd:", 7) == 0 || VG_(strncmp)(name, "/dev/shm/", 9) == 0 ||
        VG_(strstr)(name, "(deleted)")) {
      const NSegment* code = here->hasX ? here : other;
      check_all_code(code->start, code->end + 1 - code->start, "W003",
                     "code is written through another mapping: every block is checked before it runs");
      return;
    }
  }
}

static UInt prot_of(Bool r, Bool w, Bool x) { return (r ? 1 : 0) | (w ? 2 : 0) | (x ? 4 : 0); }

/* The core does not keep which mappings are shared with other processes; the kernel tells. */
typedef struct {
  Addr start, end;
} Range;

static XArray* shared_ranges(void) {
  XArray* out = VG_(newXA)(VG_(malloc), "tw.shared", VG_(free), sizeof(Range));
  SysRes opened = VG_(open)("/proc/self/maps", VKI_O_RDONLY, 0);
  if (sr_isError(opened)) return out;
  /* Lines begin "1000-3000 rw-s"; of each only that is looked at. */
  HChar text[4096], head[64];
  UInt size = 0;
  Int got;
  while ((got = VG_(read)((Int)sr_Res(opened), text, sizeof text)) > 0) {
    for (Int i = 0; i < got; i++) {
      if (text[i] != '\n') {
        if (size < sizeof head - 1) head[size++] = text[i];
        continue;
      }
      head[size] = 0;
      size = 0;
      HChar* at;
      Range range = {VG_(strtoull16)(head, &at), 0};
      if (*at == '-') range.end = VG_(strtoull16)(at + 1, &at);
      if (VG_(strlen)(at) > 4 && at[4] == 's') VG_(addToXA)(out, &range);
    }
  }
  VG_(close)((Int)sr_Res(opened));
  return out;
}

static Bool is_in(XArray* ranges, Addr address) {
  for (Word i = 0; i < VG_(sizeXA)(ranges); i++) {
    const Range* range = VG_(indexXA)(ranges, i);
    if (address >= range->start && address < range->end) return True;
  }
  return False;
}

Addr* tw_memory_segments(UInt kinds, Int* count) {
  *count = 64;
  for (;;) {
    Addr* starts = VG_(malloc)("tw.maps", *count * sizeof(Addr));
    const Int got = VG_(am_get_segment_starts)(kinds, starts, *count);
    if (got >= 0) {
      *count = got;
      return starts;
    }
    VG_(free)(starts);
    *count = -got;
  }
}

void tw_memory_all_maps(void) {
  Int count;
  Addr* starts = tw_memory_segments(SkFileC | SkAnonC | SkShmC, &count);
  XArray* shared = shared_ranges();
  for (Int i = 0; i < count; i++) {
    const NSegment* s = VG_(am_find_nsegment)(starts[i]);
    if (!s) continue;
    UInt prot = prot_of(s->hasR, s->hasW, s->hasX) | (is_in(shared, s->start) ? TW_PROT_SHARED : 0);
    log_map(s->start, s->end + 1 - s->start, prot, s->isCH ? TW_MAP_HEAP : TW_MAP_ANON);
  }
  VG_(deleteXA)(shared);
  VG_(free)(starts);
}

static void on_map(Addr address, SizeT length, Bool r, Bool w, Bool x, ULong handle) {
  (void)handle;
  log_map(address, length, prot_of(r, w, x) | (tw_mapping_shared ? TW_PROT_SHARED : 0), TW_MAP_ANON);
  look_for_alias(address);
}
static void on_brk(Addr address, SizeT length, ThreadId tid) {
  (void)tid;
  log_map(address, length, 3, TW_MAP_HEAP);
}
static void on_three(UInt kind, ULong a, ULong b, ULong c, Bool has_c) {
  tw_event_begin(kind);
  tw_event_varint(a);
  tw_event_varint(b);
  if (has_c) tw_event_varint(c);
  tw_event_end();
}
static void on_unmap(Addr address, SizeT length) { on_three(TW_EVENT_UNMAP, address, length, 0, False); }
static void on_protect(Addr address, SizeT length, Bool r, Bool w, Bool x) {
  const NSegment* segment = VG_(am_find_nsegment)(address);
  if (w && segment && segment->kind == SkFileC && segment->hasT)
    check_all_code(address, length, "W004", "the program patches its own code: every block is checked before it runs");
  on_three(TW_EVENT_PROTECT, address, length, prot_of(r, w, x), True);
}
static void on_remap(Addr from, Addr to, SizeT length) { on_three(TW_EVENT_REMAP, from, to, length, True); }

void tw_memory_register(void) {
  VG_(track_pre_mem_read)(on_pre_mem_read);
  VG_(track_pre_mem_read_asciiz)(on_pre_mem_read_string);
  VG_(track_post_mem_write)(on_post_mem_write);
  VG_(track_new_mem_startup)(on_map);
  VG_(track_new_mem_mmap)(on_map);
  VG_(track_new_mem_brk)(on_brk);
  VG_(track_die_mem_brk)(on_unmap);
  VG_(track_die_mem_munmap)(on_unmap);
  VG_(track_change_mem_mprotect)(on_protect);
  VG_(track_copy_mem_remap)(on_remap);
}
