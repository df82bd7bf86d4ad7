/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code added to each block.
 *
 * At its start: if tw_pos has reached the limit, call tw_block_check; then append the block's id.
 * After a side exit that more work follows: overwrite that id by the next variant's.
 * After a load: compare with the predictor; on a difference call tw_missed_N. After a store: tell the
 * predictor. After an operation that the reader does not compute: append its result.
 * At the end of a block that calls or returns: compare the stack pointer with its prediction and keep
 * the call ring.
 *
 * Everything but the rare cases is inline: a guarded call that is not taken costs a compare and a
 * jump. The predictor comes after the access that it follows, so that a faulting access leaves it
 * alone.
 */
#include "tool.h"

typedef struct {
  IRSB* out;
  const TwShape* shape;
  TwBlock* block;
  IRExpr* entry;   /* address of this block's id in the stream */
  UInt loads;
  UInt variant;
} Context;

static IRExpr* u64(ULong value) { return IRExpr_Const(IRConst_U64(value)); }
static IRExpr* address_of(const void* global) { return u64((ULong)global); }

static IRExpr* assign(Context* c, IRType type, IRExpr* value) {
  IRTemp t = newIRTemp(c->out->tyenv, type);
  addStmtToIRSB(c->out, IRStmt_WrTmp(t, value));
  return IRExpr_RdTmp(t);
}
static IRExpr* load(Context* c, IRType type, IRExpr* address) {
  return assign(c, type, IRExpr_Load(Iend_LE, type, address));
}
static void store(Context* c, IRExpr* address, IRExpr* value) {
  addStmtToIRSB(c->out, IRStmt_Store(Iend_LE, address, value));
}
static IRExpr* unary(Context* c, IRType type, IROp op, IRExpr* a) { return assign(c, type, IRExpr_Unop(op, a)); }
static IRExpr* binary(Context* c, IRType type, IROp op, IRExpr* a, IRExpr* b) {
  return assign(c, type, IRExpr_Binop(op, a, b));
}
static IRType type_of(Context* c, IRExpr* e) { return typeOfIRExpr(c->out->tyenv, e); }

static void call_if(Context* c, IRExpr* guard, const HChar* name, void* function, IRExpr** arguments) {
  IRDirty* d = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
  if (guard) d->guard = guard;
  addStmtToIRSB(c->out, IRStmt_Dirty(d));
}

/* ---- block start ---- */

static void block_start(Context* c) {
  IRExpr* pos = load(c, Ity_I64, address_of(&tw_pos));
  IRExpr* full = binary(c, Ity_I1, Iop_CmpLE64U, load(c, Ity_I64, address_of(&tw_limit)), pos);
  call_if(c, full, "tw_block_check", tw_block_check, mkIRExprVec_0());
  if (tw_values && c->shape->has_opaque) {
    IRExpr* at = load(c, Ity_I64, address_of(&tw_channel->opaque_at));
    IRExpr* no_room = binary(c, Ity_I1, Iop_CmpLE64U, load(c, Ity_I64, address_of(&tw_opaque_limit)), at);
    call_if(c, no_room, "tw_block_check", tw_block_check, mkIRExprVec_0());
  }
  c->entry = load(c, Ity_I64, address_of(&tw_pos));
  store(c, c->entry, IRExpr_Const(IRConst_U32(c->block->id)));
  store(c, address_of(&tw_pos), binary(c, Ity_I64, Iop_Add64, c->entry, u64(4)));
}

/* ---- the predictor ---- */

static IRExpr* predicted_at(Context* c, IRExpr* address) {
  IRExpr* low = binary(c, Ity_I64, Iop_And64, address, u64(TW_PREDICTOR_SIZE - 1));
  return binary(c, Ity_I64, Iop_Add64, low, u64((ULong)tw_predictor));
}

static IRExpr* widened(Context* c, IRType type, IRExpr* value) {
  switch (type) {
    case Ity_I8: return unary(c, Ity_I64, Iop_8Uto64, value);
    case Ity_I16: return unary(c, Ity_I64, Iop_16Uto64, value);
    case Ity_I32: return unary(c, Ity_I64, Iop_32Uto64, value);
    default: return value;
  }
}

static void predict_scalar(Context* c, IRExpr* address, IRType type, IRExpr* value, UInt number) {
  IROp differ;
  const HChar* name;
  void* function;
  switch (type) {
    case Ity_F32:
      value = unary(c, Ity_I32, Iop_ReinterpF32asI32, value);
      type = Ity_I32;
      break;
    case Ity_F64:
      value = unary(c, Ity_I64, Iop_ReinterpF64asI64, value);
      type = Ity_I64;
      break;
    default: break;
  }
  switch (type) {
    case Ity_I8: differ = Iop_CmpNE8, name = "tw_missed_1", function = tw_missed_1; break;
    case Ity_I16: differ = Iop_CmpNE16, name = "tw_missed_2", function = tw_missed_2; break;
    case Ity_I32: differ = Iop_CmpNE32, name = "tw_missed_4", function = tw_missed_4; break;
    case Ity_I64: differ = Iop_CmpNE64, name = "tw_missed_8", function = tw_missed_8; break;
    default: VG_(tool_panic)("twinrun: a load of a type that is not in the format");
  }
  IRExpr* expected = load(c, type, predicted_at(c, address));
  IRExpr* missed = binary(c, Ity_I1, differ, value, expected);
  call_if(c, missed, name, function, mkIRExprVec_3(address, widened(c, type, value), u64(number)));
}

static void predict_vector(Context* c, IRExpr* address, IRType type, IRExpr* value, UInt number) {
  static const IROp part4[4] = {Iop_V256to64_0, Iop_V256to64_1, Iop_V256to64_2, Iop_V256to64_3};
  static const IROp part2[2] = {Iop_V128to64, Iop_V128HIto64};
  const IROp* part = type == Ity_V256 ? part4 : part2;
  Int count = type == Ity_V256 ? 4 : 2;
  IRExpr* expected = load(c, type, predicted_at(c, address));
  IRExpr* changed = binary(c, type, type == Ity_V256 ? Iop_XorV256 : Iop_XorV128, value, expected);
  IRExpr* differing = NULL;
  for (Int i = 0; i < count; i++) {
    IRExpr* x = unary(c, Ity_I64, part[i], changed);
    differing = differing ? binary(c, Ity_I64, Iop_Or64, differing, x) : x;
  }
  IRExpr* missed = unary(c, Ity_I1, Iop_CmpNEZ64, differing);
  /* A vector is too wide for an argument, and taking it apart costs more than a store. */
  store(c, address_of(tw_vector), value);
  call_if(c, missed, "tw_missed_vector", tw_missed_vector, mkIRExprVec_2(address, u64((ULong)number << 8 | count * 8)));
}

static void after_load(Context* c, IRExpr* address, IRType type, IRExpr* value) {
  UInt number = c->loads++;
  if (type == Ity_V128 || type == Ity_V256) predict_vector(c, address, type, value, number);
  else predict_scalar(c, address, type, value, number);
}

static void after_store(Context* c, IRExpr* address, IRExpr* value) { store(c, predicted_at(c, address), value); }

/* The old value is a load; what is in memory afterwards is a store. */
static void after_cas(Context* c, const IRCAS* cas) {
  IRExpr* old_low = IRExpr_RdTmp(cas->oldLo);
  IRType type = type_of(c, old_low);
  Bool is_double = cas->oldHi != IRTemp_INVALID;
  IROp equal = type == Ity_I64 ? Iop_CmpEQ64 : type == Ity_I32 ? Iop_CmpEQ32 : type == Ity_I16 ? Iop_CmpEQ16 : Iop_CmpEQ8;
  after_load(c, cas->addr, type, old_low);
  IRExpr* same = binary(c, Ity_I1, equal, old_low, cas->expdLo);
  IRExpr* high_address = NULL;
  IRExpr* old_high = NULL;
  if (is_double) {
    old_high = IRExpr_RdTmp(cas->oldHi);
    high_address = binary(c, Ity_I64, Iop_Add64, cas->addr, u64(sizeofIRType(type)));
    after_load(c, high_address, type, old_high);
    same = binary(c, Ity_I1, Iop_And1, same, binary(c, Ity_I1, equal, old_high, cas->expdHi));
  }
  after_store(c, cas->addr, assign(c, type, IRExpr_ITE(same, cas->dataLo, old_low)));
  if (is_double) after_store(c, high_address, assign(c, type, IRExpr_ITE(same, cas->dataHi, old_high)));
}

static UInt loadg_size(IRLoadGOp op) {
  switch (op) {
    case ILGop_IdentV128: return 16;
    case ILGop_Ident64: return 8;
    case ILGop_Ident32: return 4;
    case ILGop_16Uto32:
    case ILGop_16Sto32: return 2;
    default: return 1;
  }
}

/* ---- results that are not computed ---- */

static void append_opaque(Context* c, IRExpr* value) {
  IRType type = type_of(c, value);
  if (type == Ity_I128 || type == Ity_F128) {
    if (type == Ity_F128) value = unary(c, Ity_I128, Iop_ReinterpF128asI128, value);
    append_opaque(c, unary(c, Ity_I64, Iop_128to64, value));
    append_opaque(c, unary(c, Ity_I64, Iop_128HIto64, value));
    return;
  }
  if (type == Ity_I1) {
    value = unary(c, Ity_I8, Iop_1Uto8, value);
    type = Ity_I8;
  }
  IRExpr* at = load(c, Ity_I64, address_of(&tw_channel->opaque_at));
  store(c, at, value);
  store(c, address_of(&tw_channel->opaque_at), binary(c, Ity_I64, Iop_Add64, at, u64(sizeofIRType(type))));
}

/* What a helper did to registers and memory, appended behind its result. */
typedef struct {
  UInt count, memory_size;
  struct {
    UInt offset, size;
  } written[64];
} Effects;

static void append_effects(const Effects* effects, ULong address, VexGuestAMD64State* state) {
  UChar* to = (UChar*)tw_channel->opaque_at;
  for (UInt i = 0; i < effects->count; i++) {
    VG_(memcpy)(to, (UChar*)state + effects->written[i].offset, effects->written[i].size);
    to += effects->written[i].size;
  }
  if (effects->memory_size) {
    VG_(memcpy)(to, (void*)address, effects->memory_size);
    tw_predictor_write(address, to, effects->memory_size);
    to += effects->memory_size;
  }
  tw_channel->opaque_at = (ULong)to;
}

static void append_result(ULong value, ULong size) {
  VG_(memcpy)((void*)tw_channel->opaque_at, &value, size);
  tw_channel->opaque_at += size;
}

static void after_dirty(Context* c, const IRDirty* d) {
  if (d->tmp != IRTemp_INVALID) {
    IRExpr* value = IRExpr_RdTmp(d->tmp);
    IRType type = type_of(c, value);
    Bool always = d->guard->tag == Iex_Const;
    if (always) append_opaque(c, value);
    else {
      if (type == Ity_I1) value = unary(c, Ity_I64, Iop_1Uto64, value);
      call_if(c, d->guard, "append_result", append_result,
              mkIRExprVec_2(widened(c, type, value), u64(sizeofIRType(type))));
    }
  }
  Effects* effects = VG_(calloc)("tw.effects", 1, sizeof(Effects));  /* lives as long as the code */
  for (Int i = 0; i < d->nFxState; i++) {
    if (d->fxState[i].fx == Ifx_Read) continue;
    for (Int r = 0; r <= d->fxState[i].nRepeats; r++) {
      tl_assert(effects->count < 64);
      effects->written[effects->count].offset = d->fxState[i].offset + r * d->fxState[i].repeatLen;
      effects->written[effects->count++].size = d->fxState[i].size;
    }
  }
  Bool writes = d->mFx == Ifx_Write || d->mFx == Ifx_Modify;
  if (writes) effects->memory_size = d->mSize;
  if (effects->count == 0 && !writes) {
    VG_(free)(effects);
    return;
  }
  IRDirty* call = unsafeIRDirty_0_N(0, "append_effects", VG_(fnptr_to_fnentry)(append_effects),
                                    mkIRExprVec_3(address_of(effects), writes ? d->mAddr : u64(0), IRExpr_GSPTR()));
  call->guard = d->guard;
  call->nFxState = 1;  /* it reads what the helper wrote; VEX wants some of it declared */
  call->fxState[0].fx = Ifx_Read;
  call->fxState[0].offset = offsetof(VexGuestAMD64State, guest_RAX);
  call->fxState[0].size = 8;
  call->fxState[0].nRepeats = 0;
  call->fxState[0].repeatLen = 0;
  addStmtToIRSB(c->out, IRStmt_Dirty(call));
}

/* ---- block end ---- */

static void after_call(Context* c) {
  IRExpr* sp = assign(c, Ity_I64, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RSP), Ity_I64));
  IRExpr* ring = load(c, Ity_I64, address_of(&tw_ring));
  IRExpr* at = load(c, Ity_I64, address_of(&tw_ring_at));
  IRExpr* top = load(c, Ity_I64, binary(c, Ity_I64, Iop_Add64, ring, at));
  IRExpr* delta = binary(c, Ity_I64, Iop_Sub64, sp, top);
  IRExpr* missed = binary(c, Ity_I1, Iop_CmpNE64, delta, load(c, Ity_I64, address_of(c->block->delta)));
  call_if(c, missed, "tw_call_missed", tw_call_missed,
          mkIRExprVec_3(sp, u64(c->block->id), address_of(c->block->delta)));
  at = load(c, Ity_I64, address_of(&tw_ring_at));
  at = binary(c, Ity_I64, Iop_And64, binary(c, Ity_I64, Iop_Add64, at, u64(sizeof(TwCall))),
              u64(TW_CALL_RING * sizeof(TwCall) - 1));
  store(c, address_of(&tw_ring_at), at);
  IRExpr* entry = binary(c, Ity_I64, Iop_Add64, ring, at);
  store(c, entry, sp);
  store(c, binary(c, Ity_I64, Iop_Add64, entry, u64(8)), IRExpr_Const(IRConst_U32(c->block->id)));
}

static void after_return(Context* c) {
  IRExpr* sp = assign(c, Ity_I64, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RSP), Ity_I64));
  IRExpr* ring = load(c, Ity_I64, address_of(&tw_ring));
  IRExpr* at = load(c, Ity_I64, address_of(&tw_ring_at));
  IRExpr* top = load(c, Ity_I64, binary(c, Ity_I64, Iop_Add64, ring, at));
  IRExpr* missed = binary(c, Ity_I1, Iop_CmpNE64, sp, binary(c, Ity_I64, Iop_Add64, top, u64(8)));
  call_if(c, missed, "tw_return_missed", tw_return_missed, mkIRExprVec_1(sp));
  at = load(c, Ity_I64, address_of(&tw_ring_at));
  store(c, binary(c, Ity_I64, Iop_Add64, ring, at), u64(0));
  store(c, address_of(&tw_ring_at),
        binary(c, Ity_I64, Iop_And64, binary(c, Ity_I64, Iop_Sub64, at, u64(sizeof(TwCall))),
               u64(TW_CALL_RING * sizeof(TwCall) - 1)));
}

/* A block that leaves to Valgrind itself (a client request, an emulation warning) may come back with
 * other registers. */
static void before_unusual_exit(void) { tw_thread_snapshot(VG_(get_running_tid)()); }

static void block_end(Context* c) {
  switch (c->shape->sb->jumpkind) {
    case Ijk_Call: after_call(c); break;
    case Ijk_Ret: after_return(c); break;
    case Ijk_ClientReq:
    case Ijk_NoRedir:
    case Ijk_EmWarn:
    case Ijk_Yield: call_if(c, NULL, "before_unusual_exit", before_unusual_exit, mkIRExprVec_0()); break;
    default: break;
  }
}

/* ---- the control register of SSE ----
 * VEX takes the rounding mode for conversions, and drops what flushes small numbers to zero: arithmetic is always
 * rounded to nearest. Whoever asks for anything else is told, at the next system call: the middle of a block is no
 * place for it. */

enum { kRounding = 0x6000, kFlushing = 0x8040 };
static UInt mxcsr_asked;

static void mxcsr_set(ULong value) { mxcsr_asked |= (UInt)value & (kRounding | kFlushing); }

static IRExpr* new_mxcsr(const IRStmt* st) {
  if (st->tag != Ist_WrTmp || st->Ist.WrTmp.data->tag != Iex_CCall) return NULL;
  const IRExpr* call = st->Ist.WrTmp.data;
  return VG_(strcmp)(call->Iex.CCall.cee->name, "amd64g_check_ldmxcsr") == 0 ? call->Iex.CCall.args[0] : NULL;
}

void tw_warn_of_rounding(void) {
  if (mxcsr_asked & kRounding) tw_warn("W033", "arithmetic is rounded to nearest, whatever the rounding mode");
  if (mxcsr_asked & kFlushing)
    tw_warn("W034", "small numbers are not flushed to zero (-ffast-math): results near 1e-308 differ");
  mxcsr_asked = 0;
}

/* ---- one statement ---- */

static void statement(Context* c, Int i) {
  IRStmt* st = c->shape->sb->stmts[i];
  addStmtToIRSB(c->out, st);
  if (st->tag == Ist_Exit && c->shape->makes_variant[i])
    store(c, c->entry, IRExpr_Const(IRConst_U32(c->block->id + ++c->variant)));
  IRExpr* mxcsr = new_mxcsr(st);
  if (mxcsr) call_if(c, NULL, "mxcsr_set", mxcsr_set, mkIRExprVec_1(mxcsr));
  if (!tw_values) return;
  switch (st->tag) {
    case Ist_WrTmp: {
      IRExpr* e = st->Ist.WrTmp.data;
      if (e->tag == Iex_Load) after_load(c, e->Iex.Load.addr, e->Iex.Load.ty, IRExpr_RdTmp(st->Ist.WrTmp.tmp));
      else if (tw_op_class(c->shape, st) == TW_CLASS_LOGGED) append_opaque(c, IRExpr_RdTmp(st->Ist.WrTmp.tmp));
      break;
    }
    case Ist_Store: after_store(c, st->Ist.Store.addr, st->Ist.Store.data); break;
    case Ist_StoreG: {
      IRStoreG* s = st->Ist.StoreG.details;
      call_if(c, s->guard, "tw_guarded_store", tw_guarded_store,
              mkIRExprVec_2(s->addr, u64(sizeofIRType(type_of(c, s->data)))));
      break;
    }
    case Ist_LoadG: {
      IRLoadG* l = st->Ist.LoadG.details;
      call_if(c, l->guard, "tw_guarded_load", tw_guarded_load,
              mkIRExprVec_2(l->addr, u64((ULong)c->loads++ << 8 | loadg_size(l->cvt))));
      break;
    }
    case Ist_CAS: after_cas(c, st->Ist.CAS.details); break;
    case Ist_Dirty: after_dirty(c, st->Ist.Dirty.details); break;
    default: break;
  }
}

/* The program is about to get SIGILL for an instruction that a real CPU may know. */
static void warn_unknown_instruction(const TwShape* shape, Addr address) {
  Addr at = address;
  for (Int i = shape->first; i < shape->sb->stmts_used; i++)
    if (shape->sb->stmts[i]->tag == Ist_IMark) at = (Addr)shape->sb->stmts[i]->Ist.IMark.addr;
  UChar b[8] = {0};
  tw_memory_read(at, b, sizeof b);
  if (b[0] == 0x0f && b[1] == 0x0b) return;  /* ud2 is meant to */
  HChar text[224];
  VG_(sprintf)(text, "%s at 0x%lx (%02x %02x %02x %02x %02x %02x): the program gets SIGILL there; "
                     "build it with -march=x86-64-v3 or less",
               b[0] == 0x62 ? "an AVX-512 instruction" : "an instruction that the recorder does not know", at, b[0], b[1],
               b[2], b[3], b[4], b[5]);
  tw_warn("W014", text);
}

static TwBlock* identify(TwShape* shape, Addr address) {
  Bool is_new;
  TwBlock* block = tw_block_find(address, shape->hash, shape->variants, &is_new);
  if (!is_new) return block;
  block->instructions = (UShort)shape->instructions;
  block->lengths = VG_(malloc)("tw.lengths", shape->instructions + 1);
  Int n = 0;
  for (Int i = shape->first; i < shape->sb->stmts_used; i++)
    if (shape->sb->stmts[i]->tag == Ist_IMark) block->lengths[n++] = (UChar)shape->sb->stmts[i]->Ist.IMark.len;
  if (shape->sb->jumpkind == Ijk_Call) block->delta = tw_delta_new();
  tw_describe(shape, block);
  if (shape->sb->jumpkind == Ijk_NoDecode) warn_unknown_instruction(shape, address);
  if (shape->uses_x87) tw_warn("W001", "80-bit x87 arithmetic is done in 64 bits: last digits differ");
  /* Both are read for the flags; mxcsr alone mostly for the rounding mode, which is right. */
  if (shape->reads_mxcsr && shape->reads_fp_status)
    tw_warn("W002", "floating-point exception flags read as zero");
  else if (shape->reads_mxcsr)
    tw_note("W032", "the floating-point exception flags in mxcsr read as zero");
  if (shape->is_rep_lods) tw_warn("W022", "rep lods is executed only once by Valgrind");
  return block;
}

IRSB* tw_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                    const VexGuestExtents* extents, const VexArchInfo* host, IRType guest_word, IRType host_word) {
  (void)closure, (void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
  if (tw_waiting) return tw_late_instrument(in);
  TwShape shape;
  tw_shape(&shape, in);
  if (shape.instructions == 0) return in;

  Context c = {0};
  c.shape = &shape;
  c.out = deepCopyIRSBExceptStmts(in);
  c.block = identify(&shape, (Addr)in->stmts[shape.first]->Ist.IMark.addr);
  for (Int i = 0; i < shape.first; i++) addStmtToIRSB(c.out, in->stmts[i]);
  block_start(&c);
  for (Int i = shape.first; i < in->stmts_used; i++) statement(&c, i);
  block_end(&c);
  VG_(free)(shape.needed);
  VG_(free)(shape.makes_variant);
  return c.out;
}
