/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorder's files share, from the bottom up; each uses those above it:
 *
 *   sys       raw system calls, closing and moving descriptors
 *   channel   the driver's shared memory: taking and handing over slots
 *   stream    the current segment: events, definitions, chunk and segment starts
 *   thread    threads, register states, the call ring
 *   memory    the load predictor, mappings, bytes the kernel reads and writes
 *   writes    what system calls wrote, by the table of format/kernel_writes.def
 *   blocks    ids of translated blocks, by content
 *   describe  a block's definition in the compact IR
 *   late      waiting for the function that the recording begins at
 *   instrument  the code added to each block
 *   startup   the client's first stack
 *   limits    limits on open files and the stack
 *   space     room for large mappings
 *   exec      programs that the client executes
 *   control   the control channel
 *   vfork     what a process made by vfork wrote
 *   clone     processes and threads
 *   syscalls  system calls, signals, the end of a process
 *   calls     which system calls are ours
 *   main      options, which every file reads, and callbacks
 *
 * Against that order: a segment begins with the state of threads and the predictor, and its checks
 * let the controller in (stream calls thread, memory and control); a thread's beginning and end change
 * memory (thread calls memory), which asks whose word counts (memory calls writes); what a child did is done
 * again by the core's handlers (vfork calls calls). launch.c is a program of its own, which the core starts.
 */
#pragma once

#include "pub_tool_basics.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_guest.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_xarray.h"

#include "../format/trace_format.h"

/* In the core but not in its public headers. */
extern Int VG_(safe_fd)(Int oldfd);
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);
extern Bool VG_(extend_stack)(ThreadId tid, Addr addr);
extern Int VG_(fd_hard_limit);
extern XArray* VG_(args_for_valgrind);
extern const HChar* VG_(libdir);
extern Int VG_(cl_exec_fd);
extern Int VG_(cl_cmdline_fd);
extern void VG_(do_atfork_pre)(ThreadId tid);
extern void VG_(do_atfork_parent)(ThreadId tid);
extern void VG_(do_atfork_child)(ThreadId tid);
extern Int VG_(clo_smc_check);
extern void VG_(discard_translations)(Addr start, ULong range, const HChar* who);
typedef struct {
  Int fd;
} TwLogSink;  /* the first field of the core's OutputSink */
extern TwLogSink VG_(log_output_sink);
extern Int VG_(fd_soft_limit);
extern Int VG_(cl_auxv_fd);
extern Word VG_(clo_main_stacksize);
extern struct vki_rlimit VG_(client_rlimit_stack);
extern struct vki_rlimit VG_(client_rlimit_data);
extern Addr VG_(clstk_end);
extern Addr VG_(brk_limit);
extern const NSegment* VG_(am_next_nsegment)(const NSegment* here, Bool forwards);

/* The core's handlers of system calls (its priv_types_n_macros.h). */
enum { TW_CORE_COMPLETE = 1, TW_CORE_HAND_TO_KERNEL = 2, TW_CORE_YIELD_AFTER = 1 << 4 };
typedef struct {
  Word number;
  UWord arg[8];
} TwCoreArgs;
typedef struct {
  UInt what;
  SysRes result;
} TwCoreStatus;
typedef void TwBefore(ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags);
typedef struct {
  TwBefore* before;
  void (*after)(ThreadId tid, TwCoreArgs* args, TwCoreStatus* status);
} TwCoreEntry;

/* What its address space manager is asked for (pub_core_aspacemgr.h). */
typedef struct {
  enum { TW_MAP_REQUEST_FIXED, TW_MAP_REQUEST_HINT, TW_MAP_REQUEST_ANY } kind;
  Addr start;
  Addr size;
} TwMapRequest;

/* ---- options (main.c) ---- */
extern Bool tw_values;            /* not --control-flow-only */
extern Bool tw_pad;               /* start the stack at a fixed address */
extern Int tw_state_every;        /* for tests: a register state every N blocks */
extern Bool tw_waiting;           /* for a function: nothing is recorded yet */
Bool tw_has_begun(void);          /* the program is running */

/* ---- sys.c ---- */
Long tw_syscall(ULong number, ULong a, ULong b, ULong c, ULong d, ULong e, ULong f);

/* ---- channel.c ---- */
/* Says hello to the driver and maps the memory it answers with; afterwards tw_channel is valid. When
 * there is no driver (any more), private memory takes its place and nothing is recorded. */
void tw_channel_open(TwHello* hello);
/* While a process waits, what the driver has given it is put by. */
void tw_channel_begin(void);
void tw_channel_adopt_hello_fd(Int fd, HChar* digits);
void tw_channel_let_inherit(Bool inherit);  /* does the next program get our descriptors? */
void tw_channel_move_up(void);              /* all descriptors that are not the program's */
void tw_channel_keep_log_fd(void);  /* the core's log, across exec */
Bool tw_channel_recording(void);
/* Hands the current slot over and waits for a free one. */
void tw_channel_next_slot(void);
void tw_channel_send_exec(const HChar* argv0);
void tw_channel_finish(void);
UChar* tw_channel_stream(Int stream);  /* of the current slot */
TwSlot* tw_channel_slot(void);
Int tw_channel_socket(void);
UInt tw_channel_process(void);
const HChar* tw_channel_argv0(void);
extern TwChannel* tw_channel;

/* ---- stream.c ---- */
extern UInt* tw_pos;    /* next block id goes here; inline code moves it */
extern UInt* tw_limit;  /* at or past it, the next block calls tw_block_check */
extern ULong tw_opaque_limit;
void tw_stream_begin(void);   /* the first segment of a process */
/* Outside a block: makes room, handing the segment over if it must. */
void tw_stream_hand_over(Bool new_chunk);
void tw_stream_finish(void);       /* the process ends: nothing follows */
void tw_stream_force_check(void);  /* the next block calls tw_block_check */
void tw_block_check(void);
ULong tw_blocks_before_segment(void);

/* Events, outside a block: begin, up to 4 KiB of fields, end. Inside one: tw_event_in_block. */
void tw_event_begin(UInt kind);
void tw_event_varint(ULong value);
void tw_event_bytes(const void* bytes, SizeT size);
void tw_event_string(const HChar* text);
void tw_event_end(void);
void tw_event_in_block(UInt kind, ULong a, ULong b);
void tw_event_whole(UInt kind, const UChar* payload, SizeT size); /* at most 512 KiB */
void tw_event_data(UInt kind, UInt thread, UInt part, Addr address, SizeT size, const UChar* bytes);
/* Each text once per process. A note, of what changes nothing for the program, is only in the recording; a
 * warning is printed as well. */
void tw_note(const HChar* code, const HChar* text);
void tw_warn(const HChar* code, const HChar* text);
void tw_say_again(void);  /* the notes and warnings of the time before the stream */
void tw_define(UInt kind, const UChar* payload, SizeT size);
UChar* tw_put_varint(UChar* to, ULong value);

/* ---- thread.c ---- */
typedef struct {
  ULong sp;     /* after the call pushed its return address; 0: no entry */
  UInt block;   /* the calling block */
  UInt pad;
} TwCall;
extern TwCall* tw_ring;     /* of the running thread */
extern ULong tw_ring_at;    /* byte offset of its innermost entry */
extern UInt tw_thread;      /* number of the running thread, 0: none */
UInt tw_thread_number(ThreadId tid);
UInt tw_thread_live(void); /* how many */
void tw_thread_start(ThreadId parent, ThreadId tid);
void tw_thread_exit(ThreadId tid);
void tw_thread_cleared_at_exit(ThreadId tid, Addr address); /* by the kernel; 0: of the next thread */
void tw_thread_unshares_at_start(UWord flags);                  /* the next thread */
void tw_thread_robust_list(ThreadId tid, Addr head);
Addr tw_thread_last_pc(ThreadId* tid); /* of the thread that ran last, also when it has ended */
void tw_thread_run(ThreadId tid, ULong blocks_done);
void tw_thread_after_fork(ThreadId tid);
void tw_thread_enters_call(ThreadId tid, UInt number, const UWord* args);
void tw_thread_runs_unseen(ThreadId tid);  /* in the time before the stream */
void tw_thread_all_live(void);             /* tells of the threads that are there */
/* The thread is at the first instruction of a function: nobody has seen who called it. */
void tw_thread_enters_function(ThreadId tid);
void tw_thread_snapshot(ThreadId tid);   /* registers are about to change from outside */
void tw_thread_need_state(ThreadId tid); /* log all registers when the thread runs next */
void tw_thread_segment_start(Bool chunk);
void tw_thread_state(ThreadId tid, UInt reason);
void tw_set_register(ThreadId tid, PtrdiffT offset, ULong value);
void tw_call_missed(ULong sp, UInt block, Long* delta);
void tw_return_missed(ULong sp);
Long* tw_delta_new(void);

/* ---- memory.c ---- */
extern UChar tw_predictor[TW_PREDICTOR_SIZE + 32];
void tw_predictor_clear(void);
void tw_predictor_write(Addr address, const UChar* bytes, SizeT size);
void tw_missed_1(ULong address, ULong value, ULong load);
void tw_missed_2(ULong address, ULong value, ULong load);
void tw_missed_4(ULong address, ULong value, ULong load);
void tw_missed_8(ULong address, ULong value, ULong load);
extern UChar tw_vector[32];  /* the vector that was loaded last */
void tw_missed_vector(ULong address, ULong size_and_load);
void tw_guarded_load(ULong address, ULong size_and_load);
void tw_guarded_store(ULong address, ULong size);
void tw_memory_all_maps(void);
Addr* tw_memory_segments(UInt kinds, Int* count); /* their starts; to be freed */
void tw_memory_register(void);   /* its callbacks */
Bool tw_memory_read(Addr address, UChar* to, SizeT size);
void tw_memory_clobbered(Addr address, SizeT length);
void tw_memory_tell(UInt part, ThreadId tid, Addr address, SizeT size); /* written from outside */

/* ---- writes.c ---- */
void tw_writes_before(ThreadId tid, UInt number, const UWord* arg); /* of six */
void tw_writes_after(ThreadId tid, UInt number, const UWord* arg, SysRes answer);
/* The core says that the call under way wrote something: is it to be told? */
Bool tw_writes_from_core(ThreadId tid);
void tw_writes_own_memory_opened(void); /* /proc/self/mem */
const HChar* tw_call_name(UInt number);
Bool tw_call_has_row(UInt number); /* then Valgrind knows it */

/* ---- blocks.c ---- */
typedef struct {
  Addr address;
  UInt id;
  UShort variants;
  UShort instructions;
  UChar* lengths;
  Long* delta;     /* stack pointer prediction of a call */
  ULong hash;
} TwBlock;
/* The block with this content, made anew (is_new) when there is none. */
TwBlock* tw_block_find(Addr address, ULong hash, UInt variants, Bool* is_new);
TwBlock* tw_block_of_id(UInt id);
UInt tw_block_count(void);  /* ids below it are in use */

/* ---- describe.c ---- */
typedef struct {
  IRSB* sb;
  Int first;             /* the statement of the first instruction mark */
  Int instructions;
  Int variants;
  UChar* needed;         /* per temporary: used by something that is computed */
  UChar* makes_variant;  /* per statement */
  Bool has_opaque;
  Bool is_rep;
  Bool uses_x87;
  Bool reads_mxcsr;
  Bool reads_fp_status;  /* the status word of x87 */
  Bool is_rep_lods;  /* Valgrind does it only once */
  ULong hash;
  UInt flags;
} TwShape;
void tw_shape(TwShape* shape, IRSB* sb);
void tw_describe(const TwShape* shape, const TwBlock* block);
UInt tw_op_class(const TwShape* shape, const IRStmt* statement); /* of a WrTmp */
UInt tw_helper_count(void);

/* ---- late.c ---- */
void tw_late_add(const HChar* place);  /* a function: DEVICE:INODE:OFFSET of its file */
void tw_late_wait(HChar* digit);       /* 1 in the command line of those who still wait */
void tw_late_keep_stack(Addr address, SizeT size);  /* as it was when the program began */
IRSB* tw_late_instrument(IRSB* in);    /* instead of tw_instrument */
void tw_late_before_fork(void);
/* The thread is about to run: has the process come to the function? Then its stream begins here. */
Bool tw_late_begins(ThreadId tid);

/* ---- instrument.c ---- */
void tw_warn_of_rounding(void); /* if there is cause to */
IRSB* tw_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                    const VexGuestExtents* extents, const VexArchInfo* host, IRType guest_word,
                    IRType host_word);

/* ---- startup.c ---- */
void tw_startup(ThreadId tid);   /* before the client's first instruction */

/* ---- limits.c ---- */
void tw_limits_of_program(HChar* text); /* in our command line: files, address space, stack: CUR,MAX each */
void tw_limits_begin(void);
Bool tw_limits_are_too_low(void); /* for the recorder of a program that is executed now */
void tw_limits_missed_file(UWord wanted); /* the program did not get this descriptor */
Bool tw_limits_of_memory(void); /* are there any? */
Bool tw_limits_allow(Long more);          /* bytes of address space */
void tw_limits_missed_memory(void);       /* the program did not get some */
void tw_limits_for_exec(Bool is_recorded);
void tw_limits_after_failed_exec(void);
void tw_limits_stack_begins_lower(ULong by);
TwBefore tw_before_setrlimit, tw_before_getrlimit, tw_before_prlimit;

/* ---- space.c ---- */
TwBefore tw_before_mmap, tw_before_mremap, tw_before_brk;

/* ---- exec.c ---- */
void tw_exec_remember_self(void);  /* our program's path, for programs that execute /proc/self/exe */
void tw_exec_failed(void);
void tw_exec_by_descriptor(Int fd);
Bool tw_exec_is_script(const HChar* path);

/* ---- control.c ---- */
void tw_control_poll(void);      /* at a block check: pause here if the controller asked for it */
ULong tw_control_stop_at(void);  /* number of the block to pause before; ~0: none */

/* ---- vfork.c ---- */
void tw_vfork_prepare(void);            /* before such a child is made */
void tw_vfork_after_fork(Bool is_vfork_child);
void tw_vfork_calls(UInt number, const UWord* args);
void tw_vfork_called(UInt number, const UWord* args, SysRes result); /* in such a child */
void tw_vfork_publish(void);            /* the child is about to execute a program, or to end */
void tw_vfork_goes_on(void);            /* it could not execute it */
void tw_vfork_collect(ThreadId tid, Addr number_at); /* in the parent, which goes on */

/* ---- clone.c ---- */
Bool tw_is_own_process(void); /* and not one that shares the memory of the process whose stream this is */
void tw_clone_begin(void); /* also in a forked process */
TwBefore tw_before_clone, tw_before_vfork, tw_before_exit_group, tw_before_execve;

/* ---- calls.c ---- */
void tw_core_before(UInt number, ThreadId tid, void* layout, TwCoreArgs* args, TwCoreStatus* status, UWord* flags);
void tw_complete(TwCoreStatus* status, Long result); /* negative: an error */
Bool tw_core_does(UInt number, ThreadId tid, const UWord* args); /* as if the program had called it, without its result */

/* ---- syscalls.c ---- */
void tw_syscalls_register(void);
extern Bool tw_exiting;
extern Bool tw_mapping_shared; /* the running mmap asks for memory that others may change */
