/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The current segment.
 *
 * Inline code appends block ids through tw_pos; everything else is appended by calls. A segment can
 * end only between blocks, because a block's id, misses, results and events belong to one segment.
 * Two rules see to that: code that runs inside a block finds kHeadroom bytes in every stream and
 * only asks for a check at the next block; code outside (translation, system calls, signals) may
 * hand the segment over at once.
 */
#include "tool.h"

enum { kSegmentsPerChunk = 8, kHeadroom = 64 << 10, kLargestPiece = 128 << 10 };

UInt* tw_pos;
UInt* tw_limit;
ULong tw_opaque_limit;

static UInt* pos_base;
static UInt* pos_end;
static UInt chunk;
static UInt segments_in_chunk;
static ULong blocks_before;
static ULong next_state_at = ~0ULL;  /* --state-every */

/* The event that is being written: `event_start` is where its payload begins. */
static UChar staging[4096 + 2 * sizeof(VexGuestAMD64State)];
static UChar* staged = staging;
static UInt event_kind;

UChar* tw_put_varint(UChar* to, ULong value) {
  while (value >= 0x80) {
    *to++ = (UChar)value | 0x80;
    value >>= 7;
  }
  *to++ = (UChar)value;
  return to;
}

ULong tw_blocks_before_segment(void) { return blocks_before; }
static UInt blocks_begun(void) { return (UInt)(tw_pos - pos_base); }

static ULong room(Int stream) {
  return tw_channel->stream_capacity[stream] - tw_channel_slot()->size[stream];
}

/* The next position at which a block must call tw_block_check. */
static void set_limit(void) {
  ULong stop = VG_MIN(tw_control_stop_at(), next_state_at);
  UInt* limit = pos_end;
  if (stop >= blocks_before && stop - blocks_before < (ULong)(pos_end - pos_base)) limit = pos_base + (stop - blocks_before);
  tw_limit = limit;
}

void tw_stream_force_check(void) { tw_limit = 0; }

static void begin_segment(Bool new_chunk) {
  TwSlot* slot = tw_channel_slot();
  VG_(memset)(slot, 0, sizeof *slot);
  pos_base = (UInt*)tw_channel_stream(TW_STREAM_BLOCKS);
  ULong blocks = tw_channel->stream_capacity[TW_STREAM_BLOCKS] / sizeof(UInt);
  if (blocks > TW_SEGMENT_BLOCKS_MAX) blocks = TW_SEGMENT_BLOCKS_MAX;
  pos_end = pos_base + blocks;
  tw_pos = pos_base;
  tw_channel->opaque_at = tw_channel->opaque_base = (ULong)tw_channel_stream(TW_STREAM_OPAQUE);
  tw_opaque_limit = tw_channel->opaque_base + tw_channel->stream_capacity[TW_STREAM_OPAQUE] - kHeadroom;
  if (new_chunk) {
    segments_in_chunk = 0;
    slot->flags |= TW_SEGMENT_CHUNK_START;
  }
  slot->chunk = chunk;
  slot->thread_at_start = tw_thread;
  set_limit();
  if (new_chunk) {
    tw_predictor_clear();
    tw_event_begin(TW_EVENT_CHUNK);
    tw_event_end();
  }
  tw_thread_segment_start(new_chunk);
}

void tw_stream_begin(void) {
  chunk = 0;
  blocks_before = 0;
  next_state_at = tw_state_every ? 1 : ~0ULL;
  begin_segment(True);
}

static void end_segment(void) {
  TwSlot* slot = tw_channel_slot();
  slot->block_count = blocks_begun();
  slot->size[TW_STREAM_BLOCKS] = slot->block_count * sizeof(UInt);
  slot->size[TW_STREAM_OPAQUE] = tw_channel->opaque_at - tw_channel->opaque_base;
  tw_channel->opaque_base = tw_channel->opaque_at;  /* should we die now, the next slot is empty */
  blocks_before += slot->block_count;
  tw_channel_next_slot();
}

void tw_stream_hand_over(Bool new_chunk) {
  end_segment();
  if (++segments_in_chunk >= kSegmentsPerChunk) new_chunk = True;
  if (new_chunk) chunk++;
  begin_segment(new_chunk);
}

void tw_stream_finish(void) {
  tw_channel_slot()->flags |= TW_SEGMENT_LAST;
  end_segment();
  tw_channel_finish();
  /* Whatever comes now goes nowhere, but has room. */
  VG_(memset)(tw_channel_slot(), 0, sizeof(TwSlot));
  pos_base = tw_pos = (UInt*)tw_channel_stream(TW_STREAM_BLOCKS);
  tw_channel->opaque_at = tw_channel->opaque_base = (ULong)tw_channel_stream(TW_STREAM_OPAQUE);
}

static Bool nearly_full(void) {
  return tw_pos >= pos_end || tw_channel->opaque_at >= tw_opaque_limit || room(TW_STREAM_MISS_POS) < kHeadroom ||
         room(TW_STREAM_MISS_VAL) < kHeadroom || room(TW_STREAM_EVENTS) < 2 * kHeadroom;
}

/* Called at a block's start, before its id is logged, when the limit is reached. */
void tw_block_check(void) {
  if (tw_channel->detached && tw_channel_recording()) tw_stream_finish();
  tw_control_poll();
  if (nearly_full()) tw_stream_hand_over(False);
  if (tw_state_every && blocks_before + blocks_begun() >= next_state_at) {
    tw_thread_state(VG_(get_running_tid)(), TW_STATE_TEST);
    next_state_at = blocks_before + blocks_begun() + tw_state_every;
  }
  set_limit();
}

/* ---- events ---- */

static void stage(UInt kind) {
  event_kind = kind;
  staged = staging;
}
void tw_event_begin(UInt kind) {
  if (room(TW_STREAM_EVENTS) < kHeadroom) tw_stream_hand_over(False);
  stage(kind);
}
void tw_event_varint(ULong value) { staged = tw_put_varint(staged, value); }
void tw_event_bytes(const void* bytes, SizeT size) {
  tl_assert(staged + size <= staging + sizeof staging);
  VG_(memcpy)(staged, bytes, size);
  staged += size;
}
void tw_event_string(const HChar* text) {
  SizeT size = VG_(strlen)(text);
  if (size > 1024) size = 1024;
  tw_event_varint(size);
  tw_event_bytes(text, size);
}

static UChar* event_head(UChar* to, UInt kind, SizeT size) {
  *to++ = (UChar)kind;
  to = tw_put_varint(to, blocks_begun());
  return tw_put_varint(to, size);
}

void tw_event_end(void) {
  SizeT size = staged - staging;
  TwSlot* slot = tw_channel_slot();
  UChar* start = tw_channel_stream(TW_STREAM_EVENTS) + slot->size[TW_STREAM_EVENTS];
  UChar* to = event_head(start, event_kind, size);
  VG_(memcpy)(to, staging, size);
  slot->size[TW_STREAM_EVENTS] += (to + size) - start;
  if (room(TW_STREAM_EVENTS) < 2 * kHeadroom) tw_stream_force_check();
}

void tw_event_in_block(UInt kind, ULong a, ULong b) {
  stage(kind);
  tw_event_varint(a);
  tw_event_varint(b);
  tw_event_end();
}

void tw_event_whole(UInt kind, const UChar* payload, SizeT size) {
  if (room(TW_STREAM_EVENTS) < size + kHeadroom) tw_stream_hand_over(False);
  TwSlot* slot = tw_channel_slot();
  UChar* start = tw_channel_stream(TW_STREAM_EVENTS) + slot->size[TW_STREAM_EVENTS];
  UChar* to = event_head(start, kind, size);
  VG_(memcpy)(to, payload, size);
  slot->size[TW_STREAM_EVENTS] += (to + size) - start;
}

/* Large payloads go in pieces, so that any size fits. What was written from outside is also what the
 * predictor expects to be loaded from there. */
void tw_event_data(UInt kind, UInt thread, UInt part, Addr address, SizeT size, const UChar* bytes) {
  if (tw_waiting) return;
  while (size > 0) {
    SizeT piece = size < kLargestPiece ? size : kLargestPiece;
    if (room(TW_STREAM_EVENTS) < piece + 2 * kHeadroom) tw_stream_hand_over(False);
    UChar head[48];
    UChar* h = tw_put_varint(head, thread);
    h = tw_put_varint(h, part);
    h = tw_put_varint(h, address);
    TwSlot* slot = tw_channel_slot();
    UChar* start = tw_channel_stream(TW_STREAM_EVENTS) + slot->size[TW_STREAM_EVENTS];
    UChar* to = event_head(start, kind, (h - head) + piece);
    VG_(memcpy)(to, head, h - head);
    to += h - head;
    if (!bytes) {
      if (!tw_memory_read(address, to, piece)) return;
    } else {
      VG_(memcpy)(to, bytes, piece);
      bytes += piece;
    }
    slot->size[TW_STREAM_EVENTS] += (to + piece) - start;
    if (kind == TW_EVENT_WRITTEN) tw_predictor_write(address, to, piece);
    address += piece;
    size -= piece;
  }
}

typedef struct {
  HChar code[8];
  HChar text[240];
  UInt severity;
} Saying;
static Saying said[128];
static Int said_count;

static void log_saying(const HChar* code, const HChar* text, UInt severity) {
  tw_event_begin(TW_EVENT_WARNING);
  tw_event_string(code);
  tw_event_string(text);
  tw_event_varint(severity);
  tw_event_end();
}

static void say(const HChar* code, const HChar* text, UInt severity) {
  for (Int i = 0; i < said_count; i++)
    if (VG_(strcmp)(said[i].code, code) == 0 && VG_(strcmp)(said[i].text, text) == 0) return;
  if (said_count == sizeof said / sizeof said[0]) return;
  Saying* saying = &said[said_count++];
  VG_(strncpy)(saying->code, code, sizeof saying->code - 1);
  VG_(strncpy)(saying->text, text, sizeof saying->text - 1);
  saying->severity = severity;
  log_saying(code, saying->text, severity);
}
void tw_say_again(void) {
  for (Int i = 0; i < said_count; i++) log_saying(said[i].code, said[i].text, said[i].severity);
}
void tw_note(const HChar* code, const HChar* text) { say(code, text, 0); }
void tw_warn(const HChar* code, const HChar* text) { say(code, text, 1); }

void tw_define(UInt kind, const UChar* payload, SizeT size) {
  if (room(TW_STREAM_DEFS) < size + 32) tw_stream_hand_over(False);
  TwSlot* slot = tw_channel_slot();
  tl_assert(room(TW_STREAM_DEFS) >= size + 32);
  UChar* start = tw_channel_stream(TW_STREAM_DEFS) + slot->size[TW_STREAM_DEFS];
  UChar* to = tw_put_varint(start, kind);
  to = tw_put_varint(to, size);
  VG_(memcpy)(to, payload, size);
  slot->size[TW_STREAM_DEFS] += (to + size) - start;
}
