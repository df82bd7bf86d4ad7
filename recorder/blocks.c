/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Block ids, by address and content: a block that is translated again keeps its id, and code that
 * was overwritten gets a new one. */
#include "tool.h"

static TwBlock** table;     /* open addressing */
static UInt table_size;     /* a power of two */
static UInt table_used;
static TwBlock** by_id;     /* [id], also for the ids of variants */
static UInt by_id_size;
static UInt next_id = 1;

static UInt slot_of(Addr address, ULong hash, UInt size) {
  return (UInt)((address * 0x9e3779b97f4a7c15ULL ^ hash) >> 20) & (size - 1);
}

static void grow(void) {
  UInt size = table_size ? table_size * 2 : 1 << 14;
  TwBlock** bigger = VG_(calloc)("tw.blocks", size, sizeof(TwBlock*));
  for (UInt i = 0; i < table_size; i++) {
    if (!table[i]) continue;
    UInt at = slot_of(table[i]->address, table[i]->hash, size);
    while (bigger[at]) at = (at + 1) & (size - 1);
    bigger[at] = table[i];
  }
  if (table) VG_(free)(table);
  table = bigger;
  table_size = size;
}

TwBlock* tw_block_find(Addr address, ULong hash, UInt variants, Bool* is_new) {
  if (table_used * 2 >= table_size) grow();
  UInt at = slot_of(address, hash, table_size);
  for (; table[at]; at = (at + 1) & (table_size - 1)) {
    if (table[at]->address == address && table[at]->hash == hash) {
      *is_new = False;
      return table[at];
    }
  }
  TwBlock* block = VG_(calloc)("tw.block", 1, sizeof(TwBlock));
  block->address = address;
  block->hash = hash;
  block->id = next_id;
  block->variants = (UShort)variants;
  table[at] = block;
  table_used++;
  next_id += variants;
  if (next_id > by_id_size) {
    UInt size = VG_MAX(1 << 14, next_id * 2);
    by_id = VG_(realloc)("tw.ids", by_id, size * sizeof(TwBlock*));
    by_id_size = size;
  }
  for (UInt id = block->id; id < next_id; id++) by_id[id] = block;
  *is_new = True;
  return block;
}

TwBlock* tw_block_of_id(UInt id) { return id > 0 && id < next_id ? by_id[id] : NULL; }
UInt tw_block_count(void) { return next_id; }
