/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A block's definition: its guest bytes and its IR in the compact form of trace_format.h.
 *
 * The IR is taken as the instrumenter sees it: flat (operands are temporaries or constants), after
 * VEX's first optimisation. Statements before the first instruction mark check that the code was not
 * changed; they belong to Valgrind and are left out here and uninstrumented there.
 */
#include "tool.h"

typedef struct {
  UShort number;
  UChar computed;
} Op;

static const Op ops[] = {
#define OP(name, number, computed) [Iop_##name - Iop_INVALID] = {number, computed},
#include "../format/ir_ops.def"
#undef OP
};

static const Op* op_of(IROp op) {
  static const Op unknown = {0, 0};
  UInt index = (UInt)op - Iop_INVALID;
  return index < sizeof ops / sizeof ops[0] ? &ops[index] : &unknown;
}

/* ---- helpers that the reader computes ---- */

static Bool helper_is_computed(const HChar* name) {
  return VG_(strcmp)(name, "amd64g_calculate_condition") == 0 ||
         VG_(strcmp)(name, "amd64g_calculate_rflags_all") == 0 || VG_(strcmp)(name, "amd64g_calculate_rflags_c") == 0;
}

static const HChar* helper_names[512];
static UInt helper_count = 1;

UInt tw_helper_count(void) { return helper_count; }

static UInt helper_number(const HChar* name) {
  for (UInt i = 1; i < helper_count; i++)
    if (VG_(strcmp)(helper_names[i], name) == 0) return i;
  tl_assert(helper_count < 512);
  helper_names[helper_count] = VG_(strdup)("tw.helper", name);
  UChar payload[512];
  SizeT size = VG_MIN(VG_(strlen)(name), 400);
  UChar* to = tw_put_varint(payload, helper_count);
  to = tw_put_varint(to, size);
  VG_(memcpy)(to, name, size);
  tw_define(TW_DEF_HELPER, payload, to + size - payload);
  return helper_count++;
}

/* ---- the shape of a block ---- */

static Bool is_opaque(const IRExpr* e) {
  switch (e->tag) {
    case Iex_Unop: return !op_of(e->Iex.Unop.op)->computed;
    case Iex_Binop: return !op_of(e->Iex.Binop.op)->computed;
    case Iex_Triop: return !op_of(e->Iex.Triop.details->op)->computed;
    case Iex_Qop: return !op_of(e->Iex.Qop.details->op)->computed;
    case Iex_CCall: return !helper_is_computed(e->Iex.CCall.cee->name);
    default: return False;
  }
}

static void need(UChar* needed, const IRExpr* e) {
  if (e && e->tag == Iex_RdTmp) needed[e->Iex.RdTmp.tmp] = 1;
}

static void need_operands(UChar* needed, const IRExpr* e) {
  switch (e->tag) {
    case Iex_GetI: need(needed, e->Iex.GetI.ix); break;
    case Iex_RdTmp: need(needed, e); break;
    case Iex_Qop:
      need(needed, e->Iex.Qop.details->arg4);
      need(needed, e->Iex.Qop.details->arg3);
      need(needed, e->Iex.Qop.details->arg2);
      need(needed, e->Iex.Qop.details->arg1);
      break;
    case Iex_Triop:
      need(needed, e->Iex.Triop.details->arg3);
      need(needed, e->Iex.Triop.details->arg2);
      need(needed, e->Iex.Triop.details->arg1);
      break;
    case Iex_Binop:
      need(needed, e->Iex.Binop.arg1);
      need(needed, e->Iex.Binop.arg2);
      break;
    case Iex_Unop: need(needed, e->Iex.Unop.arg); break;
    case Iex_Load: need(needed, e->Iex.Load.addr); break;
    case Iex_ITE:
      need(needed, e->Iex.ITE.cond);
      need(needed, e->Iex.ITE.iftrue);
      need(needed, e->Iex.ITE.iffalse);
      break;
    case Iex_CCall:
      for (Int i = 0; e->Iex.CCall.args[i]; i++) need(needed, e->Iex.CCall.args[i]);
      break;
    default: break;
  }
}

static void need_of_statement(UChar* needed, const IRStmt* st) {
  switch (st->tag) {
    case Ist_Put: need(needed, st->Ist.Put.data); break;
    case Ist_PutI:
      need(needed, st->Ist.PutI.details->ix);
      need(needed, st->Ist.PutI.details->data);
      break;
    case Ist_WrTmp:
      if (!is_opaque(st->Ist.WrTmp.data)) need_operands(needed, st->Ist.WrTmp.data);
      break;
    case Ist_Store:
      need(needed, st->Ist.Store.addr);
      need(needed, st->Ist.Store.data);
      break;
    case Ist_StoreG:
      need(needed, st->Ist.StoreG.details->addr);
      need(needed, st->Ist.StoreG.details->data);
      need(needed, st->Ist.StoreG.details->guard);
      break;
    case Ist_LoadG:
      need(needed, st->Ist.LoadG.details->addr);
      need(needed, st->Ist.LoadG.details->alt);
      need(needed, st->Ist.LoadG.details->guard);
      break;
    case Ist_CAS: {
      const IRCAS* cas = st->Ist.CAS.details;
      need(needed, cas->addr);
      need(needed, cas->expdHi);
      need(needed, cas->expdLo);
      need(needed, cas->dataHi);
      need(needed, cas->dataLo);
      break;
    }
    case Ist_Dirty:
      need(needed, st->Ist.Dirty.details->guard);
      need(needed, st->Ist.Dirty.details->mAddr);
      break;
    case Ist_Exit: need(needed, st->Ist.Exit.guard); break;
    default: break;
  }
}

static UInt jump_of(IRJumpKind kind) {
  switch (kind) {
    case Ijk_Boring: return TW_JUMP_BORING;
    case Ijk_Call: return TW_JUMP_CALL;
    case Ijk_Ret: return TW_JUMP_RETURN;
    case Ijk_Sys_syscall:
    case Ijk_Sys_int32:
    case Ijk_Sys_int128:
    case Ijk_Sys_int129:
    case Ijk_Sys_int130:
    case Ijk_Sys_int145:
    case Ijk_Sys_int210:
    case Ijk_Sys_sysenter: return TW_JUMP_SYSCALL;
    case Ijk_SigILL:
    case Ijk_SigTRAP:
    case Ijk_SigSEGV:
    case Ijk_SigBUS:
    case Ijk_SigFPE:
    case Ijk_SigFPE_IntDiv:
    case Ijk_SigFPE_IntOvf:
    case Ijk_NoDecode: return TW_JUMP_SIGNAL;
    default: return TW_JUMP_OTHER;
  }
}

/* Is there work after statement i? A conditional jump at the end of a block is told by the next
 * block's address; an exit in the middle needs a mark of its own. */
static Bool more_follows(const IRSB* sb, Int i) {
  for (i++; i < sb->stmts_used; i++) {
    const IRStmt* st = sb->stmts[i];
    if (st->tag == Ist_NoOp || st->tag == Ist_AbiHint) continue;
    if (st->tag == Ist_Put && st->Ist.Put.offset == offsetof(VexGuestAMD64State, guest_RIP)) continue;
    return True;
  }
  return False;
}

/* rep movs, cmps, stos, lods, scas. */
/* fnstsw and fnstenv. */
static Bool reads_x87_status(const UChar* code, UInt size) {
  if (size < 2) return False;
  const Bool in_memory = code[1] < 0xc0;
  const UInt operation = code[1] >> 3 & 7;
  return (code[0] == 0xdf && code[1] == 0xe0) || (code[0] == 0xdd && in_memory && operation == 7) ||
         (code[0] == 0xd9 && in_memory && operation == 6);
}

static Bool is_rep_string(const UChar* code, Int length) {
  Bool rep = False;
  for (Int i = 0; i < length; i++) {
    UChar b = code[i];
    if (b == 0xf2 || b == 0xf3) rep = True;
    else if (b == 0x66 || b == 0x67 || b == 0x2e || b == 0x3e || b == 0x26 || b == 0x36 || b == 0x64 || b == 0x65 ||
             (b & 0xf0) == 0x40) continue;
    else return rep && ((b >= 0xa4 && b <= 0xa7) || (b >= 0xaa && b <= 0xaf));
  }
  return False;
}

static ULong mix(ULong hash, ULong value) {
  hash = (hash ^ value) * 0x9fb21c651e98df25ULL;
  return hash ^ hash >> 32;
}

/* VEX counts a rep instruction's rcx down before its memory access. Should that fault, and a handler
 * repair the fault, the instruction would resume one element too late: the count comes last. */
static void move_rep_count_last(IRSB* sb) {
  Int last_mark = -1, put = -1, last_access = -1;
  for (Int i = 0; i < sb->stmts_used; i++) {
    const IRStmt* st = sb->stmts[i];
    if (st->tag == Ist_IMark) last_mark = i, put = -1, last_access = -1;
    if (st->tag == Ist_Put && st->Ist.Put.offset == offsetof(VexGuestAMD64State, guest_RCX)) put = i;
    if (st->tag == Ist_Store || (st->tag == Ist_WrTmp && st->Ist.WrTmp.data->tag == Iex_Load)) last_access = i;
  }
  if (last_mark < 0 || put < 0 || last_access < put) return;
  const IRStmt* mark = sb->stmts[last_mark];
  if (!is_rep_string((const UChar*)(Addr)mark->Ist.IMark.addr, mark->Ist.IMark.len)) return;
  IRStmt* moved = sb->stmts[put];
  for (Int i = put; i < last_access; i++) sb->stmts[i] = sb->stmts[i + 1];
  sb->stmts[last_access] = moved;
}

void tw_shape(TwShape* shape, IRSB* sb) {
  VG_(memset)(shape, 0, sizeof *shape);
  move_rep_count_last(sb);
  shape->sb = sb;
  shape->needed = VG_(calloc)("tw.needed", sb->tyenv->types_used + 1, 1);
  shape->makes_variant = VG_(calloc)("tw.exits", sb->stmts_used + 1, 1);
  shape->variants = 1;
  while (shape->first < sb->stmts_used && sb->stmts[shape->first]->tag != Ist_IMark) shape->first++;
  shape->hash = mix(0x1234567, sb->stmts_used);
  for (Int i = shape->first; i < sb->stmts_used; i++) {
    const IRStmt* st = sb->stmts[i];
    need_of_statement(shape->needed, st);
    if (st->tag == Ist_IMark) {
      shape->instructions++;
      const UChar* code = (const UChar*)(Addr)st->Ist.IMark.addr;
      shape->hash = mix(shape->hash, st->Ist.IMark.len);
      for (UInt b = 0; b < st->Ist.IMark.len; b++) shape->hash = mix(shape->hash, code[b]);
      shape->is_rep = is_rep_string(code, st->Ist.IMark.len);
      UChar opcode = st->Ist.IMark.len ? code[st->Ist.IMark.len - 1] : 0;
      if (reads_x87_status(code, st->Ist.IMark.len)) shape->reads_fp_status = True;
      if (shape->is_rep && (opcode == 0xac || opcode == 0xad)) shape->is_rep_lods = True;
    } else if (st->tag == Ist_Exit) {
      UInt jump = jump_of(st->Ist.Exit.jk);
      if (jump != TW_JUMP_SIGNAL && more_follows(sb, i)) {
        shape->makes_variant[i] = 1;
        shape->variants++;
      }
    } else if (st->tag == Ist_Dirty) {
      shape->has_opaque = True;
      const HChar* name = st->Ist.Dirty.details->cee->name;
      if (VG_(strcmp)(name, "amd64g_dirtyhelper_loadF80le") == 0 || VG_(strcmp)(name, "amd64g_dirtyhelper_storeF80le") == 0)
        shape->uses_x87 = True;
    } else if (st->tag == Ist_WrTmp && st->Ist.WrTmp.data->tag == Iex_CCall) {
      const HChar* name = st->Ist.WrTmp.data->Iex.CCall.cee->name;
      if (VG_(strcmp)(name, "amd64g_create_mxcsr") == 0) shape->reads_mxcsr = True;
    }
  }
  need(shape->needed, sb->next);
  for (Int i = shape->first; i < sb->stmts_used; i++)
    if (sb->stmts[i]->tag == Ist_WrTmp && tw_op_class(shape, sb->stmts[i]) == TW_CLASS_LOGGED) shape->has_opaque = True;
  shape->flags = (tw_values ? TW_BLOCK_HAS_IR : 0) | (shape->is_rep ? TW_BLOCK_REP : 0) |
                 (sb->jumpkind == Ijk_NoDecode ? TW_BLOCK_NO_DECODE : 0);
}

UInt tw_op_class(const TwShape* shape, const IRStmt* st) {
  if (!is_opaque(st->Ist.WrTmp.data)) return TW_CLASS_COMPUTED;
  return shape->needed[st->Ist.WrTmp.tmp] ? TW_CLASS_LOGGED : TW_CLASS_UNKNOWN;
}

/* ---- writing ---- */

static UChar* buffer;
static SizeT capacity, used;

static void reserve(SizeT size) {
  if (used + size <= capacity) return;
  capacity = VG_MAX(16384, 2 * (used + size));
  buffer = VG_(realloc)("tw.describe", buffer, capacity);
}
static void byte(UInt value) {
  reserve(1);
  buffer[used++] = (UChar)value;
}
static void varint(ULong value) {
  reserve(10);
  used = tw_put_varint(buffer + used, value) - buffer;
}
static void zigzag(Long value) { varint((ULong)value << 1 ^ (ULong)(value >> 63)); }
static void bytes(const void* from, SizeT size) {
  reserve(size);
  VG_(memcpy)(buffer + used, from, size);
  used += size;
}

static UInt type_of(IRType type) {
  switch (type) {
    case Ity_I1: return TW_I1;
    case Ity_I8: return TW_I8;
    case Ity_I16: return TW_I16;
    case Ity_I32: return TW_I32;
    case Ity_I64: return TW_I64;
    case Ity_I128: return TW_I128;
    case Ity_F16: return TW_F16;
    case Ity_F32: return TW_F32;
    case Ity_F64: return TW_F64;
    case Ity_F128: return TW_F128;
    case Ity_D32: return TW_D32;
    case Ity_D64: return TW_D64;
    case Ity_D128: return TW_D128;
    case Ity_V128: return TW_V128;
    case Ity_V256: return TW_V256;
    default: VG_(tool_panic)("twinrun: a type that is not in the format");
  }
}

static void constant(const IRConst* c) {
  switch (c->tag) {
    case Ico_U1: varint(TW_I1 << 1 | 1); byte(c->Ico.U1 ? 1 : 0); break;
    case Ico_U8: varint(TW_I8 << 1 | 1); byte(c->Ico.U8); break;
    case Ico_U16: varint(TW_I16 << 1 | 1); bytes(&c->Ico.U16, 2); break;
    case Ico_U32: varint(TW_I32 << 1 | 1); varint(c->Ico.U32); break;
    case Ico_U64: varint(TW_I64 << 1 | 1); varint(c->Ico.U64); break;
    case Ico_F32: { UInt u; VG_(memcpy)(&u, &c->Ico.F32, 4); varint(TW_F32 << 1 | 1); varint(u); break; }
    case Ico_F32i: varint(TW_F32 << 1 | 1); varint(c->Ico.F32i); break;
    case Ico_F64: { ULong u; VG_(memcpy)(&u, &c->Ico.F64, 8); varint(TW_F64 << 1 | 1); varint(u); break; }
    case Ico_F64i: varint(TW_F64 << 1 | 1); varint(c->Ico.F64i); break;
    case Ico_V128: varint(TW_V128 << 1 | 1); bytes(&c->Ico.V128, 2); break;
    case Ico_V256: varint(TW_V256 << 1 | 1); bytes(&c->Ico.V256, 4); break;
    default: VG_(tool_panic)("twinrun: a constant that is not in the format");
  }
}

static void operand(const IRExpr* e) {
  if (e->tag == Iex_RdTmp) varint((ULong)e->Iex.RdTmp.tmp << 1);
  else if (e->tag == Iex_Const) constant(e->Iex.Const.con);
  else if (e->tag == Iex_GSPTR) varint(TW_ARG_STATE);
  else if (e->tag == Iex_VECRET) varint(TW_ARG_VECTOR_RESULT);
  else VG_(tool_panic)("twinrun: the IR is not flat");
}

static void indexed(const IRRegArray* array, const IRExpr* index, Int bias) {
  varint(array->base);
  byte(type_of(array->elemTy));
  varint(array->nElems);
  operand(index);
  zigzag(bias);
}

static UInt effect_of(IREffect effect) {
  switch (effect) {
    case Ifx_Read: return TW_EFFECT_READ;
    case Ifx_Write: return TW_EFFECT_WRITE;
    case Ifx_Modify: return TW_EFFECT_MODIFY;
    default: return TW_EFFECT_NONE;
  }
}

static void operation(IRTemp dst, UInt class, IROp op, IRExpr* a, IRExpr* b, IRExpr* c, IRExpr* d) {
  byte(TW_STMT_OP);
  varint(dst);
  byte((b ? c ? d ? 4 : 3 : 2 : 1) | class << 4);
  varint(op_of(op)->number);
  operand(a);
  if (b) operand(b);
  if (c) operand(c);
  if (d) operand(d);
}

static void assignment(const TwShape* shape, const IRStmt* st) {
  IRTemp dst = st->Ist.WrTmp.tmp;
  IRExpr* e = st->Ist.WrTmp.data;
  UInt class = tw_op_class(shape, st);
  switch (e->tag) {
    case Iex_Get:
      byte(TW_STMT_GET);
      varint(dst);
      varint(e->Iex.Get.offset);
      break;
    case Iex_GetI:
      byte(TW_STMT_GETI);
      varint(dst);
      indexed(e->Iex.GetI.descr, e->Iex.GetI.ix, e->Iex.GetI.bias);
      break;
    case Iex_RdTmp:
    case Iex_Const:
      byte(TW_STMT_MOVE);
      varint(dst);
      operand(e);
      break;
    case Iex_Unop: operation(dst, class, e->Iex.Unop.op, e->Iex.Unop.arg, NULL, NULL, NULL); break;
    case Iex_Binop: operation(dst, class, e->Iex.Binop.op, e->Iex.Binop.arg1, e->Iex.Binop.arg2, NULL, NULL); break;
    case Iex_Triop: {
      IRTriop* t = e->Iex.Triop.details;
      operation(dst, class, t->op, t->arg1, t->arg2, t->arg3, NULL);
      break;
    }
    case Iex_Qop: {
      IRQop* q = e->Iex.Qop.details;
      operation(dst, class, q->op, q->arg1, q->arg2, q->arg3, q->arg4);
      break;
    }
    case Iex_Load:
      byte(TW_STMT_LOAD);
      varint(dst);
      operand(e->Iex.Load.addr);
      break;
    case Iex_ITE:
      byte(TW_STMT_ITE);
      varint(dst);
      operand(e->Iex.ITE.cond);
      operand(e->Iex.ITE.iftrue);
      operand(e->Iex.ITE.iffalse);
      break;
    case Iex_CCall: {
      UInt helper = helper_number(e->Iex.CCall.cee->name);
      UInt count = 0;
      while (e->Iex.CCall.args[count]) count++;
      byte(TW_STMT_CCALL);
      varint(dst);
      varint(class);
      varint(helper);
      varint(count);
      for (UInt i = 0; i < count; i++) operand(e->Iex.CCall.args[i]);
      break;
    }
    default: VG_(tool_panic)("twinrun: an expression that is not in the format");
  }
}

static void dirty(const IRDirty* d) {
  UInt helper = helper_number(d->cee->name);
  byte(TW_STMT_DIRTY);
  byte(d->tmp != IRTemp_INVALID);
  if (d->tmp != IRTemp_INVALID) varint(d->tmp);
  varint(helper);
  operand(d->guard);
  byte(effect_of(d->mFx));
  if (d->mFx != Ifx_None) {
    operand(d->mAddr);
    varint(d->mSize);
  }
  varint(d->nFxState);
  for (Int i = 0; i < d->nFxState; i++) {
    byte(effect_of(d->fxState[i].fx));
    varint(d->fxState[i].offset);
    varint(d->fxState[i].size);
    varint(d->fxState[i].nRepeats);
    varint(d->fxState[i].repeatLen);
  }
  UInt count = 0;
  while (d->args[count]) count++;
  varint(count);
  for (UInt i = 0; i < count; i++) operand(d->args[i]);
}

static UInt loadg_of(IRLoadGOp op) {
  switch (op) {
    case ILGop_IdentV128: return TW_LOADG_V128;
    case ILGop_Ident64: return TW_LOADG_64;
    case ILGop_Ident32: return TW_LOADG_SAME;
    case ILGop_16Uto32: return TW_LOADG_16U32;
    case ILGop_16Sto32: return TW_LOADG_16S32;
    case ILGop_8Uto32: return TW_LOADG_8U32;
    default: return TW_LOADG_8S32;
  }
}

/* Returns whether the statement is part of the form. */
static Bool statement(const TwShape* shape, Int i) {
  const IRStmt* st = shape->sb->stmts[i];
  switch (st->tag) {
    case Ist_IMark: byte(TW_STMT_IMARK); return True;
    case Ist_Put:
      byte(TW_STMT_PUT);
      varint(st->Ist.Put.offset);
      operand(st->Ist.Put.data);
      return True;
    case Ist_PutI: {
      const IRPutI* p = st->Ist.PutI.details;
      byte(TW_STMT_PUTI);
      indexed(p->descr, p->ix, p->bias);
      operand(p->data);
      return True;
    }
    case Ist_WrTmp: assignment(shape, st); return True;
    case Ist_Store:
      byte(TW_STMT_STORE);
      operand(st->Ist.Store.addr);
      operand(st->Ist.Store.data);
      return True;
    case Ist_StoreG:
      byte(TW_STMT_STOREG);
      operand(st->Ist.StoreG.details->addr);
      operand(st->Ist.StoreG.details->data);
      operand(st->Ist.StoreG.details->guard);
      return True;
    case Ist_LoadG: {
      const IRLoadG* l = st->Ist.LoadG.details;
      byte(TW_STMT_LOADG);
      varint(l->dst);
      byte(loadg_of(l->cvt));
      operand(l->addr);
      operand(l->alt);
      operand(l->guard);
      return True;
    }
    case Ist_CAS: {
      const IRCAS* c = st->Ist.CAS.details;
      Bool is_double = c->oldHi != IRTemp_INVALID;
      byte(TW_STMT_CAS);
      byte(is_double);
      varint(c->oldLo);
      if (is_double) varint(c->oldHi);
      operand(c->addr);
      operand(c->expdLo);
      if (is_double) operand(c->expdHi);
      operand(c->dataLo);
      if (is_double) operand(c->dataHi);
      return True;
    }
    case Ist_Dirty: dirty(st->Ist.Dirty.details); return True;
    case Ist_Exit:
      byte(TW_STMT_EXIT);
      operand(st->Ist.Exit.guard);
      varint(st->Ist.Exit.dst->Ico.U64);
      varint(jump_of(st->Ist.Exit.jk));
      byte(shape->makes_variant[i]);
      return True;
    case Ist_MBE: byte(TW_STMT_FENCE); return True;
    case Ist_NoOp:
    case Ist_AbiHint: return False;
    default: VG_(tool_panic)("twinrun: a statement that is not in the format");
  }
}

void tw_describe(const TwShape* shape, const TwBlock* block) {
  const IRSB* sb = shape->sb;
  /* Helpers are defined before the block that uses them. */
  used = 0;
  varint(block->id);
  varint(shape->variants);
  varint(block->address);
  varint(shape->flags);
  varint(jump_of(sb->jumpkind));
  varint(shape->instructions);
  bytes(block->lengths, shape->instructions);
  for (Int i = shape->first; i < sb->stmts_used; i++) {
    const IRStmt* st = sb->stmts[i];
    if (st->tag == Ist_IMark) bytes((void*)(Addr)st->Ist.IMark.addr, st->Ist.IMark.len);
  }
  Int begun = 0;
  for (Int i = shape->first; i < sb->stmts_used; i++) {
    if (sb->stmts[i]->tag == Ist_IMark) begun++;
    if (shape->makes_variant[i]) varint(begun);
  }
  if (tw_values) {
    varint(sb->tyenv->types_used);
    for (Int i = 0; i < sb->tyenv->types_used; i++) byte(type_of(sb->tyenv->types[i]));
    UInt count = 0;
    for (Int i = shape->first; i < sb->stmts_used; i++) {
      IRStmtTag tag = sb->stmts[i]->tag;
      count += tag != Ist_NoOp && tag != Ist_AbiHint;
    }
    varint(count);
    for (Int i = shape->first; i < sb->stmts_used; i++) statement(shape, i);
    operand(sb->next);
  }
  tw_define(TW_DEF_BLOCK, buffer, used);
}

/* The file format says where each register is. */
#define REGISTER(name, Name, offset, size, class, dwarf)                          \
  _Static_assert(offsetof(VexGuestAMD64State, guest_##name) == (offset), #name);  \
  _Static_assert(sizeof(((VexGuestAMD64State*)0)->guest_##name) == (size), #name);
#include "../format/registers.def"
#undef REGISTER
