/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client's first stack, before its first instruction.
 *
 * The kernel's layout, upward from the stack pointer: argc, argv[], 0, envp[], 0, auxv[], then the
 * strings. The vectors may stand anywhere below the strings, so they are moved to a fixed address:
 * then the stack starts at the same place whatever the size of the environment. On the way, what
 * Valgrind added to the environment is taken out, and argv[0] becomes what the caller gave.
 */
#include "tool.h"

#include "pub_tool_clientstate.h"

enum { kFirstPad = 256 << 10 };

static Bool starts_with(const HChar* text, const HChar* prefix) {
  return VG_(strncmp)(text, prefix, VG_(strlen)(prefix)) == 0;
}

/* "LD_PRELOAD=<valgrind's>[:the user's]"; True when the entry goes away altogether. */
static Bool clean_variable(HChar* entry) {
  if (starts_with(entry, "VALGRIND_LAUNCHER=")) return True;
  if (starts_with(entry, "VALGRIND_LIB=")) return VG_(strcmp)(entry + 13, VG_(libdir)) == 0;
  if (!starts_with(entry, "LD_PRELOAD=")) return False;
  HChar* value = entry + 11;
  HChar* keep = value;
  while (*keep && starts_with(keep, VG_(libdir))) {
    while (*keep && *keep != ':') keep++;
    if (*keep == ':') keep++;
  }
  if (!*keep) return True;
  VG_(memmove)(value, keep, VG_(strlen)(keep) + 1);
  return False;
}

/* The core keeps what the program shall read in /proc/self/cmdline and auxv in files in TMPDIR that it
 * deletes at once; memory does as well, and needs no directory. */
static const HChar kNoFile[] = "(in memory)";

Int __wrap_vgPlain_mkstemp(const HChar* part_of_name, HChar* full_name) {
  (void)part_of_name;
  Long fd = tw_syscall(319 /* memfd_create */, (ULong) "twinrun", 0, 0, 0, 0, 0);
  if (fd < 0) return -1;
  if (full_name) VG_(strcpy)(full_name, kNoFile);
  return VG_(safe_fd)((Int)fd);
}

Int __real_vgPlain_unlink(const HChar* name);
Int __wrap_vgPlain_unlink(const HChar* name) {
  return VG_(strcmp)(name, kNoFile) == 0 ? 0 : __real_vgPlain_unlink(name);
}

/* The kernel named the process after the recorder's file. */
static void name_process(void) {
  const HChar* name = VG_(args_the_exename);
  for (const HChar* c = name; *c; c++)
    if (*c == '/' && c[1]) name = c + 1;
  tw_syscall(__NR_prctl, 15 /* PR_SET_NAME */, (ULong)name, 0, 0, 0, 0);
}

/* What the program reads in /proc/self/cmdline. */
static void write_command_line(const ULong* argv, ULong argc) {
  tw_syscall(__NR_ftruncate, VG_(cl_cmdline_fd), 0, 0, 0, 0, 0);
  tw_syscall(__NR_lseek, VG_(cl_cmdline_fd), 0, 0, 0, 0, 0);
  for (ULong i = 0; i < argc; i++) VG_(write)(VG_(cl_cmdline_fd), (const void*)argv[i], VG_(strlen)((const HChar*)argv[i]) + 1);
}

void tw_startup(ThreadId tid) {
  name_process();
  ULong* old = (ULong*)VG_(get_SP)(tid);
  ULong argc = old[0];
  ULong* envp = old + argc + 2;
  ULong* to = envp;
  for (ULong* from = envp; *from; from++)
    if (!clean_variable((HChar*)*from)) *to++ = *from;
  ULong* env_end = to;
  ULong* auxv = envp;
  while (*auxv) auxv++;
  auxv++;
  ULong* auxv_end = auxv;
  while (*auxv_end) auxv_end += 2;
  auxv_end += 2;

  Addr top = VG_(thread_get_stack_max)(tid) + 1;
  const HChar* argv0 = tw_channel_argv0();
  SizeT argv0_size = argc && argv0[0] ? VG_(strlen)(argv0) + 1 : 0;
  SizeT vectors = (UChar*)auxv_end - (UChar*)old;
  Addr fixed = (Addr)old;
  if (tw_pad) {
    ULong pad = kFirstPad;
    while (VG_PGROUNDDN(top) - pad + vectors + argv0_size + 64 > (Addr)old) pad *= 4;
    fixed = VG_PGROUNDDN(top) - pad;
  } else {
    fixed = VG_ROUNDDN((Addr)old - argv0_size, 16);
  }
  tw_limits_stack_begins_lower((Addr)old > fixed ? (Addr)old - fixed : 0);
  if (fixed != (Addr)old && VG_(extend_stack)(tid, fixed - 4096)) {
    ULong* new = (ULong*)fixed;
    SizeT head = (UChar*)env_end - (UChar*)old;
    VG_(memmove)(new, old, head);
    ULong* after = (ULong*)((UChar*)new + head);
    SizeT tail = (UChar*)auxv_end - (UChar*)auxv;
    VG_(memmove)(after + 1, auxv, tail);
    *after = 0;
    if (argv0_size) {
      HChar* text = tw_pad ? (HChar*)after + 8 + tail + 16 : (HChar*)old + vectors - argv0_size;
      if (tw_pad || (Addr)text >= fixed + vectors) {
        VG_(memcpy)(text, argv0, argv0_size);
        new[1] = (ULong)text;
        write_command_line(new + 1, argc);
      }
    }
    tw_set_register(tid, offsetof(VexGuestAMD64State, guest_RSP), fixed);
  } else {
    ULong* after = env_end;
    SizeT tail = (UChar*)auxv_end - (UChar*)auxv;
    VG_(memmove)(after + 1, auxv, tail);
    *after = 0;
    fixed = (Addr)old;
  }
  /* The whole of it is input: what stands there is what the program can read there. */
  if (tw_waiting) tw_late_keep_stack(fixed, top - fixed);
  tw_event_data(TW_EVENT_INITIAL_STACK, 1, TW_PART_STARTUP, fixed, top - fixed, NULL);
}
