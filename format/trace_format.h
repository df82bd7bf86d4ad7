/* SPDX-License-Identifier: MIT */
/* The format of twinrun's recordings, and of the shared memory between the recorder and the driver.
 *
 * This is the only header that the recorder (a Valgrind tool, freestanding C11) and the rest of
 * twinrun share. Everything is little-endian. docs/trace-format.md describes the same in prose and
 * tables, for readers written by others.
 *
 * The picture: each recorded process fills *segments*. A segment is six byte streams that belong
 * together (block ids, positions and values of load misses, opaque results, events, definitions).
 * The recorder fills them in shared memory; the driver compresses each stream and appends the
 * segment to the file as one frame. A *chunk* is a run of segments that can be regenerated alone.
 */
#pragma once

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

/* ---- Versions ----------------------------------------------------------------------------------
 * A reader reads a file iff TW_VERSION >= header.min_reader. Unknown event kinds, frame types and
 * definition kinds can be skipped by their length; a change that a reader must not skip raises
 * min_reader.
 *
 * 1: the first format.
 * 2: processes that begin late. Only files that can have some ask for a reader of this version. */
enum { TW_VERSION = 2, TW_MIN_READER = 1, TW_MIN_READER_LATE = 2 };

/* Feature bits of a file. */
enum {
  TW_FEATURE_VALUES = 1u << 0,  /* misses, opaque results, IR and register states were recorded */
  TW_FEATURE_PACKED = 1u << 1,  /* FILE frames hold the executed binaries */
  TW_FEATURE_JUMPS = 1u << 2,   /* every indirect jump is defined */
  TW_FEATURE_LATE = 1u << 3,    /* processes are recorded only from a function on */
};

/* ---- File: header, then frames, then (when complete) an index and a trailer -------------------- */
#define TW_FILE_MAGIC "TWINRUN\n"            /* 8 bytes at offset 0 */
#define TW_FRAME_MAGIC 0x4d524654u           /* "TFRM" at the start of each frame */
#define TW_TRAILER_MAGIC "TWINEND\n"         /* the last 8 bytes of a complete file */

typedef struct {
  uint8_t magic[8];
  uint32_t version;     /* of the writer */
  uint32_t min_reader;
  uint64_t features;
  uint8_t uuid[16];
  uint64_t start_time_ns; /* CLOCK_REALTIME at the start of the recording */
  uint64_t reserved;
  uint64_t checksum;    /* XXH3-64 of all bytes before this field */
} TwFileHeader;         /* 64 bytes */

enum TwFrameType {
  TW_FRAME_RECORDING = 1, /* what was recorded: command, environment, tool versions, limits */
  TW_FRAME_PROCESS = 2,   /* a process begins */
  TW_FRAME_SEGMENT = 3,   /* a segment of a process */
  TW_FRAME_PROCESS_END = 4,
  TW_FRAME_WARNING = 5,   /* a sentence for the user, with a code */
  TW_FRAME_FILE = 6,      /* a packed binary or debug file */
  TW_FRAME_INDEX = 7,     /* what a scan of all frames would find; last frame of a complete file */
  TW_FRAME_SUMMARY = 8,   /* the recording ended: status, totals */
};

typedef struct {
  uint32_t magic;
  uint32_t type;
  uint32_t process;   /* 0: not about one process */
  uint32_t sequence;  /* of this frame among the frames of its type and process, from 0 */
  uint64_t size;      /* of the payload that follows this header */
  uint64_t checksum;  /* XXH3-64 of the payload, seeded with XXH3-64 of the fields above */
} TwFrameHeader;      /* 32 bytes */

typedef struct {
  uint64_t index_offset; /* file offset of the INDEX frame's header */
  uint64_t file_size;    /* including this trailer */
  uint64_t checksum;     /* XXH3-64 of the two fields above */
  uint8_t magic[8];
} TwTrailer;             /* 32 bytes */

/* ---- Segments ------------------------------------------------------------------------------------ */
enum TwStream {
  TW_STREAM_BLOCKS = 0,    /* u32 per executed block: its id, plus the side exits it passed */
  TW_STREAM_MISS_POS = 1,  /* u32 per load miss: block ordinal in the segment << 14 | load number */
  TW_STREAM_MISS_VAL = 2,  /* the loaded bytes of each miss, in the size of the load */
  TW_STREAM_OPAQUE = 3,    /* results that are not recomputed, in the order of execution */
  TW_STREAM_EVENTS = 4,    /* see Events */
  TW_STREAM_DEFS = 5,      /* see Definitions */
  TW_STREAM_COUNT = 6
};

enum {
  TW_SEGMENT_BLOCKS_MAX = 1 << 18, /* so that an ordinal fits in a miss position */
  TW_MISS_LOAD_BITS = 14,
};

enum TwSegmentFlags {
  TW_SEGMENT_CHUNK_START = 1u << 0, /* the predictors were cleared at its start */
  TW_SEGMENT_LAST = 1u << 1,        /* the process ended, or became another program, after it */
  TW_SEGMENT_SALVAGED = 1u << 2,    /* taken from the buffers of a process that was killed */
};

/* Coding of a stream inside a SEGMENT frame. */
enum TwCoding {
  TW_CODING_RAW = 0,
  TW_CODING_ZSTD = 1,
  TW_CODING_SUCCESSOR = 2, /* blocks only: successor prediction, then zstd (docs/trace-format.md) */
  TW_CODING_DELTA = 3,     /* miss positions only: varint ordinal deltas and load numbers, then zstd */
};

/* Payload of a SEGMENT frame: this header, thread_count TwThreadSpan, then the coded streams one
 * after another in the order of TwStream. */
typedef struct {
  uint32_t flags;
  uint32_t chunk;          /* number of the chunk in the process, from 0 */
  uint64_t first_block;    /* blocks of this process before this segment */
  uint64_t first_instruction;
  uint32_t block_count;
  uint32_t thread_count;
  uint64_t instruction_count;
  uint32_t thread_at_start; /* the thread that ran last before this segment; 0 at the very start */
  uint32_t reserved;
  struct {
    uint32_t raw_size;     /* bytes of the stream as the recorder wrote it */
    uint32_t coded_size;
    uint8_t coding;
    uint8_t reserved[7];
  } stream[TW_STREAM_COUNT];
} TwSegmentHeader;

/* What one thread did in a segment; ascending by thread, only threads that ran. */
typedef struct {
  uint32_t thread;
  uint32_t blocks;
  uint64_t first_step;    /* instructions of the thread before this segment */
  uint64_t instructions;
} TwThreadSpan;

/* ---- Events ------------------------------------------------------------------------------------
 * u8 kind, varint at, varint size, then `size` bytes of payload. `at` is the number of blocks of the
 * segment that had begun: the event happened after (or inside) block at-1 and before block at.
 * Payload fields are LEB128 varints unless said otherwise; "bytes" run to the end of the payload.
 * events.def lists the kinds with their payloads. */
enum TwEvent {
#define EVENT(number, NAME, Name, whose, memory, registers, call) TW_EVENT_##NAME = number,
#include "events.def"
#undef EVENT
};

enum TwPart { TW_PART_SYSCALL = 1, TW_PART_SIGNAL = 2, TW_PART_STARTUP = 3, TW_PART_OTHER = 4 };
enum TwStateReason { TW_STATE_CHUNK = 1, TW_STATE_CHECKPOINT = 2, TW_STATE_SWITCH = 3, TW_STATE_TEST = 4 };
enum TwSignalFlags {
  TW_SIGNAL_HANDLED = 1u << 0,  /* a handler of the program runs next */
  TW_SIGNAL_PARTIAL = 1u << 1,  /* the block before `at` was left in its middle, at pc */
};
enum TwProt { TW_PROT_READ = 1, TW_PROT_WRITE = 2, TW_PROT_EXECUTE = 4, TW_PROT_SHARED = 8 };
enum TwMapKind { TW_MAP_FILE = 1, TW_MAP_ANON = 2, TW_MAP_HEAP = 3, TW_MAP_STACK = 4, TW_MAP_SHM = 5 };

/* Stack pointer prediction (both modes). Each thread has a ring of TW_CALL_RING entries (stack
 * pointer after a call pushed its return address, id of the calling block). At a call from block c
 * the prediction is top.sp + delta[c]; at a return it is top.sp + 8. A wrong prediction is a STACK
 * event with the right value. docs/trace-format.md gives the rule in full. */
enum { TW_CALL_RING = 1 << 16 };
enum TwStackMiss { TW_STACK_CALL = 1, TW_STACK_RETURN = 2 };

/* Load prediction (with values). An array of TW_PREDICTOR_SIZE + 32 bytes, zero at each chunk start
 * and RESET. A load of n bytes at address a is predicted to yield the n bytes at a & (SIZE-1); a
 * wrong one is a miss. Every load, store, kernel write (WRITTEN) and memory effect of a helper puts
 * its bytes there. */
enum { TW_PREDICTOR_BITS = 18, TW_PREDICTOR_SIZE = 1 << TW_PREDICTOR_BITS };

/* ---- Definitions ---------------------------------------------------------------------------------
 * varint kind, varint size, then `size` bytes of payload. */
enum TwDef {
  TW_DEF_BLOCK = 1,  /* a block: see docs/trace-format.md, "Blocks" */
  TW_DEF_HELPER = 2, /* varint number, string name: a function that IR calls */
  TW_DEF_JUMP = 3,   /* varint from, varint to, varint block: an indirect jump that was executed */
};

/* Payload of TW_DEF_BLOCK (varints unless said otherwise):
 *   id, variants (side exits that are followed by more work, plus one: ids id..id+variants-1),
 *   guest address, TwBlockFlags, TwJump of the last exit, instruction count,
 *   u8 length of each instruction, the guest bytes of the block (sum of the lengths),
 *   per variant but the last: instructions begun when that side exit is taken,
 *   and with TW_BLOCK_HAS_IR: number of temporaries, u8 TwType of each, statement count,
 *   statements, operand `next`. */
enum TwBlockFlags {
  TW_BLOCK_HAS_IR = 1u << 0,
  TW_BLOCK_REP = 1u << 1,        /* the last instruction is rep-prefixed and jumps to itself */
  TW_BLOCK_NO_DECODE = 1u << 2,  /* ends at an instruction that Valgrind cannot decode */
};

enum TwJump {
  TW_JUMP_BORING = 1, TW_JUMP_CALL = 2, TW_JUMP_RETURN = 3, TW_JUMP_SYSCALL = 4,
  TW_JUMP_SIGNAL = 5,  /* raises a signal: ud2, int3, an unaligned movaps ... */
  TW_JUMP_OTHER = 6
};

enum TwType {
  TW_I1 = 1, TW_I8 = 2, TW_I16 = 3, TW_I32 = 4, TW_I64 = 5, TW_I128 = 6,
  TW_F32 = 7, TW_F64 = 8, TW_F128 = 9, TW_V128 = 10, TW_V256 = 11, TW_F16 = 12,
  TW_D32 = 13, TW_D64 = 14, TW_D128 = 15
};

/* Statements: u8 tag, then fields. An operand is a varint u: u even: temporary u/2; u odd: a
 * constant of TwType u>>1, followed by its value: 1 byte for I1 and I8, 2 bytes for I16, V128's byte
 * mask, 4 bytes for V256's byte mask, a varint for I32, F32 (bits), I64 and F64 (bits). `dst` is a
 * varint temporary; types come from the table of temporaries. TwClass says where a result comes
 * from. */
enum TwStmt {
  TW_STMT_IMARK = 1,  /* the next instruction begins */
  TW_STMT_PUT = 2,    /* offset, operand */
  TW_STMT_PUTI = 3,   /* base, u8 element type, element count, operand index, zigzag bias, operand */
  TW_STMT_GET = 4,    /* dst, offset */
  TW_STMT_GETI = 5,   /* dst, base, u8 element type, element count, operand index, zigzag bias */
  TW_STMT_MOVE = 6,   /* dst, operand */
  TW_STMT_OP = 7,     /* dst, u8 arity | TwClass << 4, op (TwOp), operands */
  TW_STMT_LOAD = 8,   /* dst, operand address */
  TW_STMT_STORE = 9,  /* operand address, operand data */
  TW_STMT_ITE = 10,   /* dst, operand condition, operand if true, operand if false */
  TW_STMT_CCALL = 11, /* dst, TwClass, helper, argument count, operands */
  TW_STMT_DIRTY = 12, /* u8 has dst, [dst], helper, operand guard, u8 TwEffect on memory,
                         [operand address, size], count of register effects, each (u8 TwEffect,
                         offset, size, repeats, stride), argument count, arguments: operand, or the
                         varint TW_ARG_STATE or TW_ARG_VECTOR_RESULT (odd, of no type) */
  TW_STMT_CAS = 13,   /* u8 is double, dst old low, [dst old high], operand address, operands
                         expected low, [high], new low, [high] */
  TW_STMT_LOADG = 14, /* dst, u8 TwLoadG, operand address, operand alternative, operand guard */
  TW_STMT_STOREG = 15,/* operand address, operand data, operand guard */
  TW_STMT_EXIT = 16,  /* operand guard, target address, TwJump, u8 1 if it makes a variant */
  TW_STMT_FENCE = 17,
  TW_STMT_LAST = TW_STMT_FENCE,
};

enum TwClass {
  TW_CLASS_COMPUTED = 0, /* the reader computes it */
  TW_CLASS_LOGGED = 1,   /* it is in the opaque stream */
  TW_CLASS_UNKNOWN = 2,  /* neither: it feeds only logged results, or nothing */
};

enum TwEffect { TW_EFFECT_NONE = 0, TW_EFFECT_READ = 1, TW_EFFECT_WRITE = 2, TW_EFFECT_MODIFY = 3 };
enum TwLoadG { TW_LOADG_SAME = 1, TW_LOADG_16U32 = 2, TW_LOADG_16S32 = 3, TW_LOADG_8U32 = 4,
               TW_LOADG_8S32 = 5, TW_LOADG_V128 = 6, TW_LOADG_64 = 7 };
enum { TW_ARG_STATE = 1, TW_ARG_VECTOR_RESULT = 1 + 2 * 31 }; /* odd; no TwType has these numbers */

/* ---- Shared memory between recorder and driver -------------------------------------------------- */
enum { TW_CHANNEL_MAGIC = 0x54574331, TW_CHANNEL_SLOTS_MAX = 16 };

typedef struct {
  uint32_t flags;                    /* TwSegmentFlags, set by the recorder */
  uint32_t chunk;
  uint32_t thread_at_start;
  uint32_t block_count;              /* valid once the slot is produced; before: first zero id */
  uint64_t size[TW_STREAM_COUNT];    /* bytes used; live while the slot is filled, but for blocks */
} TwSlot;

typedef struct {
  uint32_t magic, slot_count;
  uint64_t total_size;
  uint64_t slot_size;                       /* slot i begins at slots_offset + i * slot_size */
  uint64_t slots_offset;
  uint64_t stream_offset[TW_STREAM_COUNT];  /* inside a slot */
  uint64_t stream_capacity[TW_STREAM_COUNT];
  /* Free-running counters: slot number is counter % slot_count. The recorder writes `produced`, the
   * driver `consumed`, a futex that the recorder waits on when all slots are full. */
  uint32_t produced, consumed;
  uint32_t detached;                        /* set by the driver: hand over, then run on unrecorded;
                                               noticed at the next full slot */
  uint32_t finished;                        /* set by the recorder: nothing follows */
  uint64_t opaque_at, opaque_base;          /* recorder's addresses: live end and start of OPAQUE */
  TwSlot slot[TW_CHANNEL_SLOTS_MAX];
} TwChannel;

/* Messages, each one packet on a SOCK_SEQPACKET socket. HELLO goes over the inherited socket with
 * the process's own socket attached (SCM_RIGHTS); the driver answers on it with TW_MSG_CHANNEL and
 * the memory attached. Then the recorder sends SEGMENT for each slot. */
enum TwMessage {
  TW_MSG_HELLO = 1, TW_MSG_CHANNEL = 2, TW_MSG_SEGMENT = 3, TW_MSG_REFUSED = 4, TW_MSG_EXEC = 5,
  /* Control channel: sent by a controller, each answered by the same type. */
  TW_MSG_RUN_TO = 16, TW_MSG_PAUSED = 17, TW_MSG_CONTINUE = 18, TW_MSG_READ_REGISTERS = 19,
  TW_MSG_WRITE_REGISTERS = 20, TW_MSG_READ_MEMORY = 21, TW_MSG_WRITE_MEMORY = 22, TW_MSG_FORK = 23
};
/* LATE: it ran before; in HELLO, it may begin later. Then the driver has no number for it, and hears of
 * its beginning by the first segment. */
enum TwOrigin { TW_ORIGIN_ROOT = 1, TW_ORIGIN_FORK = 2, TW_ORIGIN_EXEC = 3, TW_ORIGIN_LATE = 4 };

typedef struct {
  uint32_t type;
  uint32_t version;        /* TW_VERSION */
  uint32_t origin;         /* TwOrigin */
  uint32_t pid, parent_pid;/* as the process sees them; the driver trusts SCM_CREDENTIALS */
  uint32_t parent_process; /* FORK: the driver's number of the parent */
  uint32_t inherited_blocks, inherited_helpers; /* FORK: ids below these are the parent's */
  uint64_t parent_block;   /* FORK: blocks the parent had executed */
  uint32_t state_size;     /* bytes of a register file */
  uint32_t thread;         /* FORK: the parent's thread that forked; it is the child's thread 1 */
  char valgrind_version[32];
} TwHello;

typedef struct {
  uint32_t type;
  uint32_t process;        /* the number that the driver gave this process */
  uint64_t size;           /* of the attached memory */
  int64_t shm_id;          /* no memory attached: this System V shared memory; else -1 */
  char argv0[4096];        /* argv[0] of the program, where Valgrind would show another; or empty */
} TwChannelMessage;

typedef struct {
  uint32_t type;
  uint32_t slot;
} TwSegmentMessage;

/* EXEC: this process is about to become another program under this argv[0]. */
typedef struct {
  uint32_t type;
  uint32_t reserved;
  char argv0[4096];
} TwExecMessage;

/* Control messages. RUN_TO: pause before block number `value` of the process. READ/WRITE: `address`
 * (or register file offset) and `size` <= TW_CONTROL_DATA_MAX bytes in data. FORK: the child says
 * HELLO of its own; the answer holds its pid in `value`. `status` 0 is success. */
enum { TW_CONTROL_DATA_MAX = 4096 };
typedef struct {
  uint32_t type;
  uint32_t status;
  uint64_t address, size, value;
  uint8_t data[TW_CONTROL_DATA_MAX];
} TwControl;

#ifdef __cplusplus
}
#endif
