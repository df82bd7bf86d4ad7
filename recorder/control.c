/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control channel: a controller can let a process run to a block, and there read and write its
 * registers and memory or fork it. Commands arrive on the process's own socket. */
#include "tool.h"

static ULong stop_at = ~0ULL;

ULong tw_control_stop_at(void) { return stop_at; }

static Bool receive(TwControl* command, Bool wait) {
  Int socket = tw_channel_socket();
  if (socket < 0) return False;
  Long got;
  do got = tw_syscall(__NR_recvfrom, socket, (ULong)command, sizeof *command, wait ? 0 : 0x40 /* MSG_DONTWAIT */, 0, 0);
  while (got == -VKI_EINTR);
  return got == sizeof *command;
}

static void answer(TwControl* command, UInt status) {
  command->status = status;
  tw_syscall(__NR_sendto, tw_channel_socket(), (ULong)command, sizeof *command, 0x4000 /* MSG_NOSIGNAL */, 0, 0);
}

static void access_registers(TwControl* command, Bool write) {
  ThreadId tid = VG_(get_running_tid)();
  if (command->size > TW_CONTROL_DATA_MAX || command->address < 16 ||
      command->address + command->size > sizeof(VexGuestAMD64State)) {
    answer(command, VKI_EINVAL);
    return;
  }
  if (write) VG_(set_shadow_regs_area)(tid, 0, command->address, command->size, command->data);
  else VG_(get_shadow_regs_area)(tid, command->data, 0, command->address, command->size);
  answer(command, 0);
}

static void access_memory(TwControl* command, Bool write) {
  if (command->size > TW_CONTROL_DATA_MAX) {
    answer(command, VKI_EINVAL);
  } else if (!write) {
    answer(command, tw_memory_read(command->address, command->data, command->size) ? 0 : VKI_EFAULT);
  } else if (!VG_(am_is_valid_for_client)(command->address, command->size, VKI_PROT_WRITE)) {
    answer(command, VKI_EFAULT);
  } else {
    tw_event_data(TW_EVENT_WRITTEN, tw_thread, TW_PART_OTHER, command->address, command->size, command->data);
    VG_(memcpy)((void*)command->address, command->data, command->size);
    answer(command, 0);
  }
}

/* Obeys commands until one lets the process go on. */
static void paused(TwControl* command) {
  command->type = TW_MSG_PAUSED;
  command->value = stop_at;
  stop_at = ~0ULL;
  answer(command, 0);
  Bool wrote_registers = False;
  while (receive(command, True)) {
    switch (command->type) {
      case TW_MSG_CONTINUE: answer(command, 0); goto done;
      case TW_MSG_RUN_TO:
        stop_at = command->value;
        answer(command, 0);
        goto done;
      case TW_MSG_READ_REGISTERS: access_registers(command, False); break;
      case TW_MSG_WRITE_REGISTERS:
        wrote_registers = True;
        access_registers(command, True);
        break;
      case TW_MSG_READ_MEMORY: access_memory(command, False); break;
      case TW_MSG_WRITE_MEMORY: access_memory(command, True); break;
      case TW_MSG_FORK: {
        /* The child comes back here with a socket of its own, paused at the same place. */
        ThreadId tid = VG_(get_running_tid)();
        VG_(do_atfork_pre)(tid);
        Int pid = VG_(fork)();
        if (pid == 0) {
          VG_(do_atfork_child)(tid);
          break;
        }
        VG_(do_atfork_parent)(tid);
        command->value = (ULong)pid;
        answer(command, pid < 0 ? VKI_EAGAIN : 0);
        break;
      }
      default: answer(command, VKI_EINVAL); break;
    }
  }
done:
  if (wrote_registers) tw_thread_state(VG_(get_running_tid)(), TW_STATE_SWITCH);
}

void tw_control_poll(void) {
  static TwControl command;
  while (receive(&command, False)) {
    if (command.type == TW_MSG_RUN_TO) {
      stop_at = command.value;
      answer(&command, 0);
    } else {
      answer(&command, VKI_EINVAL);
    }
  }
  UInt* base = (UInt*)tw_channel_stream(TW_STREAM_BLOCKS);
  if (tw_blocks_before_segment() + (ULong)(tw_pos - base) >= stop_at) paused(&command);
}
