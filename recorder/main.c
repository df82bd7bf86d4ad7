/* SPDX-License-Identifier: GPL-2.0-or-later */
/* twinrun's recorder: a Valgrind tool that writes what a program did into memory that the driver
 * (`twinrun record`) drains. See README.md beside this file. */
#include "tool.h"

#include "config.h"

Bool tw_values = True;
Bool tw_pad = True;
Int tw_state_every;
Bool tw_waiting;

void tw_syscalls_fini(Int status);
void tw_syscalls_before_fork(void);
void tw_syscalls_after_fork(void);

static Int origin = TW_ORIGIN_ROOT;
static Bool started;

/* Our own command line is what an exec'd child starts with: what we write into it is for the child. */
static HChar* origin_digit;

static Bool on_option(const HChar* argument) {
  const HChar* text;
  if (VG_STR_CLO(argument, "--hello-fd", text)) {
    tw_channel_adopt_hello_fd((Int)VG_(strtoll10)(text, NULL), (HChar*)text);
  } else if (VG_STR_CLO(argument, "--origin", text)) {
    origin_digit = (HChar*)text;
    origin = *text - '0';
    *origin_digit = '0' + TW_ORIGIN_EXEC;
  } else if (VG_STR_CLO(argument, "--wait", text)) {
    tw_late_wait((HChar*)text);
  } else if (VG_STR_CLO(argument, "--from", text)) {
    tw_late_add(text);
  } else if (VG_STR_CLO(argument, "--limits", text)) {
    tw_limits_of_program((HChar*)text);
  } else if (VG_STR_CLO(argument, "--self", text)) {
    /* for twinrun-launch */
  } else if (VG_BOOL_CLO(argument, "--values", tw_values)) {
  } else if (VG_BOOL_CLO(argument, "--pad", tw_pad)) {
  } else if (VG_INT_CLO(argument, "--state-every", tw_state_every)) {
  } else {
    return False;
  }
  return True;
}

static void on_usage(void) {
  VG_(printf)("    this tool is started by `twinrun record`\n");
}
static void on_debug_usage(void) { VG_(printf)("    (none)\n"); }

static void introduce(TwHello* hello, UInt how) {
  VG_(memset)(hello, 0, sizeof *hello);
  hello->origin = tw_waiting ? TW_ORIGIN_LATE : how;
  hello->pid = VG_(getpid)();
  hello->parent_pid = VG_(getppid)();
  hello->state_size = sizeof(VexGuestAMD64State);
  VG_(strncpy)(hello->valgrind_version, VERSION, sizeof hello->valgrind_version - 1);
}

static void on_options_done(void) {
  VG_(clo_vex_control).guest_chase = False;
  VG_(clo_vex_control).iropt_unroll_thresh = 0;
  tw_channel_keep_log_fd();
  tw_limits_begin();
  tw_clone_begin();
  tw_exec_remember_self();
  TwHello hello;
  introduce(&hello, origin);
  tw_channel_open(&hello);
  tw_stream_begin();
}

Bool tw_has_begun(void) { return started; }

static void on_start_client_code(ThreadId tid, ULong blocks_done) {
  if (!started) {
    started = True;
    tw_startup(tid);
  }
  if (tw_waiting && !tw_late_begins(tid)) return;
  tw_thread_run(tid, blocks_done);
}

static void on_thread_create(ThreadId parent, ThreadId child) { tw_thread_start(parent, child); }
static void on_thread_exit(ThreadId tid) { tw_thread_exit(tid); }

/* What the child inherits must be in the driver's hands before the child says hello. */
static ULong blocks_at_fork;
static void on_fork(ThreadId tid) {
  (void)tid;
  tw_stream_hand_over(False);
  blocks_at_fork = tw_blocks_before_segment();
  tw_late_before_fork();
  tw_syscalls_before_fork();
}

/* In the child: a stream of its own. The parent's ids keep their meaning. */
static void on_fork_child(ThreadId tid) {
  TwHello hello;
  introduce(&hello, TW_ORIGIN_FORK);
  hello.parent_process = tw_channel_process();
  hello.inherited_blocks = tw_block_count();
  hello.inherited_helpers = tw_helper_count();
  hello.parent_block = blocks_at_fork;  /* the channel is the parent's, and may have gone on */
  hello.thread = tw_thread_number(tid);
  tw_channel_open(&hello);
  tw_thread_after_fork(tid);
  tw_clone_begin();
  tw_syscalls_after_fork();
  tw_stream_begin();
  if (!tw_waiting) tw_memory_all_maps();
}

static void on_end(Int status) { tw_syscalls_fini(status); }

static void on_load(void) {
  VG_(details_name)("twinrun");
  VG_(details_version)(NULL);
  VG_(details_description)("records executions");
  VG_(details_copyright_author)("");
  VG_(details_bug_reports_to)("the project's tracker");
  VG_(details_avg_translation_sizeB)(600);

  VG_(basic_tool_funcs)(on_options_done, tw_instrument, on_end);
  VG_(needs_command_line_options)(on_option, on_usage, on_debug_usage);
  VG_(track_start_client_code)(on_start_client_code);
  VG_(track_pre_thread_ll_create)(on_thread_create);
  VG_(track_pre_thread_ll_exit)(on_thread_exit);
  VG_(atfork)(on_fork, NULL, on_fork_child);
  tw_memory_register();
  tw_syscalls_register();
}

VG_DETERMINE_INTERFACE_VERSION(on_load)
