/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that the client executes: recorded as well, unless the recorder cannot run them. */
#include "tool.h"

#include "pub_tool_clientstate.h"

enum { kSetIdBits = 06000, kElfClass = 4, kClass32 = 1 };

/* In our command line, as "--self=PATH": twinrun-launch, started in our place, could not know which
 * program /proc/self/exe was. */
static HChar self_flag[4096 + 16] = "--self=";

void tw_exec_remember_self(void) {
  HChar link[64];
  VG_(sprintf)(link, "/proc/self/fd/%d", VG_(cl_exec_fd));
  SSizeT size = VG_(readlink)(link, self_flag + 7, 4095);
  if (size < 0) return;
  self_flag[7 + size] = 0;
  HChar* flag = self_flag;
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) {
    HChar** argument = VG_(indexXA)(VG_(args_for_valgrind), i);
    if (VG_(strncmp)(*argument, "--self=", 7) == 0) {
      *argument = flag;
      return;
    }
  }
  VG_(addToXA)(VG_(args_for_valgrind), &flag);
}

static Bool lives_in_memory(const HChar* path) {
  HChar target[256];
  SSizeT size = VG_(readlink)(path, target, sizeof target - 1);
  if (size < 0) return False;
  target[size] = 0;
  return VG_(strncmp)(target, "/memfd:", 7) == 0;
}

/* While a program is executed by its descriptor: the core asks for the path, and one that exists only
 * in memory has none but this. */
static HChar by_descriptor[64];

void tw_exec_by_descriptor(Int fd) {
  VG_(sprintf)(by_descriptor, "/proc/self/fd/%d", fd);
  if (!lives_in_memory(by_descriptor)) by_descriptor[0] = 0;
}

Bool __real_vgPlain_resolve_filename(Int fd, const HChar** result);
Bool __wrap_vgPlain_resolve_filename(Int fd, const HChar** result) {
  if (!by_descriptor[0]) return __real_vgPlain_resolve_filename(fd, result);
  *result = by_descriptor;
  return True;
}

static SSizeT read_head(const HChar* path, HChar* head, SizeT size, UWord* error) {
  SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
  *error = sr_isError(opened) ? sr_Err(opened) : 0;
  if (*error) return -1;
  Int got = VG_(read)((Int)sr_Res(opened), head, (Int)size);
  VG_(close)((Int)sr_Res(opened));
  return got;
}

Bool tw_exec_is_script(const HChar* path) {
  HChar head[2];
  UWord error;
  return read_head(path, head, 2, &error) == 2 && head[0] == '#' && head[1] == '!';
}

static void interpreter_of(const HChar* head, SSizeT size, HChar* path, SizeT room) {
  SizeT length = 0;
  SSizeT at = 2;
  while (at < size && (head[at] == ' ' || head[at] == '\t')) at++;
  while (at < size && length < room - 1 && head[at] != ' ' && head[at] != '\t' && head[at] != '\n') path[length++] = head[at++];
  path[length] = 0;
}

/* Valgrind runs a script only if its interpreter is a program; the kernel also knows what to answer
 * when it is missing. */
static Bool interpreter_is_a_program(const HChar* head, SSizeT size) {
  HChar path[256];
  interpreter_of(head, size, path, sizeof path);
  HChar magic[4];
  UWord error;
  return read_head(path, magic, 4, &error) == 4 && *(UInt*)magic == 0x464c457f;
}

/* Why a program cannot be recorded: a warning's code and text, or NULL. */
static const HChar* reason_not_to(const HChar* path, const HChar** text) {
  struct vg_stat info;
  if (sr_isError(VG_(stat)(path, &info))) return NULL;  /* the kernel will say so */
  if ((info.mode & kSetIdBits) != 0) {
    *text = "a set-user-id program runs unrecorded";
    return "W010";
  }
  if (tw_limits_are_too_low()) {
    *text = "a program under limits on memory or the stack that are too low for the recorder runs unrecorded";
    return "W031";
  }
  HChar attribute[64];
  if (tw_syscall(191 /* getxattr */, (ULong)path, (ULong) "security.capability", (ULong)attribute, sizeof attribute, 0, 0) > 0) {
    *text = "a program with file capabilities runs unrecorded";
    return "W010";
  }
  if (lives_in_memory(path)) {
    *text = "a program that exists only in memory runs unrecorded";
    return "W017";
  }
  HChar head[256];
  UWord error;
  SSizeT got = read_head(path, head, sizeof head, &error);
  if (got < 8) {
    *text = "a program that may not be read runs unrecorded";
    return error == VKI_EACCES ? "W010" : NULL;
  }
  if (*(UInt*)head == 0x464c457f && head[kElfClass] == kClass32) {
    *text = "a 32-bit program runs unrecorded";
    return "W011";
  }
  if (head[0] == '#' && head[1] == '!' && !interpreter_is_a_program(head, got)) {
    *text = "a script whose interpreter is missing or is a script runs unrecorded";
    return "W020";
  }
  return NULL;
}

Bool __real_vgPlain_should_we_trace_this_child(const HChar* path, const HChar** argv);
Bool __wrap_vgPlain_should_we_trace_this_child(const HChar* path, const HChar** argv) {
  const HChar* text = NULL;
  const HChar* code = path ? reason_not_to(path, &text) : NULL;
  if (code) tw_warn(code, text);
  Bool trace = !code && __real_vgPlain_should_we_trace_this_child(path, argv);
  tw_channel_let_inherit(trace);
  tw_limits_for_exec(trace);
  return trace;
}

/* The core finds out that a script's interpreter is missing only when there is no way back. */
SysRes __real_vgPlain_pre_exec_check(const HChar* path, Int* fd, Bool allow_setuid);
SysRes __wrap_vgPlain_pre_exec_check(const HChar* path, Int* fd, Bool allow_setuid) {
  HChar head[256], interpreter[256];
  UWord error;
  SSizeT got = read_head(path, head, sizeof head, &error);
  if (got > 2 && head[0] == '#' && head[1] == '!') {
    interpreter_of(head, got, interpreter, sizeof interpreter);
    struct vg_stat info;
    SysRes there = VG_(stat)(interpreter, &info);
    if (sr_isError(there)) return there;
  }
  return __real_vgPlain_pre_exec_check(path, fd, allow_setuid);
}

void tw_exec_failed(void) {
  by_descriptor[0] = 0;
  tw_channel_let_inherit(True);
  tw_limits_after_failed_exec();
}
