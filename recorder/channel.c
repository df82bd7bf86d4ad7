/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder's end of the channel to the driver.
 *
 * One socket, the hello socket, is inherited by every process of the recorded tree; over it a
 * process announces itself with a socket of its own attached. The driver answers there with a block
 * of shared memory (a ring of slots, each one segment). The process's own socket also tells either
 * side when the other one is gone: a dead process's buffers are still in the driver's hands, and a
 * process whose driver died runs on without recording.
 *
 * A forked child has translated code that holds addresses inside the channel, so its own channel
 * must take the place of its parent's, at the same address.
 */
#include "tool.h"

TwChannel* tw_channel;
static ULong channel_size;
static Int hello_fd = -1;
static HChar* hello_digits; /* in our command line */
static HChar* log_digits;
static Int own_fd = -1;
static Bool recording;
static TwChannelMessage answer;
static Int put_by = -1;  /* its memory, while the process waits */
static UInt process_number;
static HChar argv0[4096];

typedef struct {
  void* base;
  ULong size;
} IoVector;

typedef struct {
  void* name;
  UInt name_size, pad1;
  IoVector* vectors;
  ULong vector_count;
  void* control;
  ULong control_size;
  Int flags, pad2;
} MessageHeader;

typedef struct {
  ULong size;
  Int level, type;
  Int fd, pad;
} FdControl;

enum { kUnixDomain = 1, kSeqpacket = 5, kSocketLevel = 1, kRights = 1, kNoSignal = 0x4000,
       kSockCloexec = 02000000, kMsgCmsgCloexec = 0x40000000, kDontWait = 0x40 };

static Int move_up(Int fd, Bool close_on_exec) {
  Int safe = VG_(safe_fd)(fd);
  if (safe < 0) return safe;
  VG_(fcntl)(safe, VKI_F_SETFD, close_on_exec ? VKI_FD_CLOEXEC : 0);
  return safe;
}

/* `digits` is the number in our own command line; an exec'd child is given the same command line, so
 * it must always hold the number that the socket has now. */
static void write_digits(HChar* digits, Int fd) {
  if (!digits) return;
  SizeT width = VG_(strlen)(digits);
  for (SizeT i = width; i-- > 0; fd /= 10) digits[i] = '0' + fd % 10;
}

void tw_channel_adopt_hello_fd(Int fd, HChar* digits) {
  Int safe = move_up(fd, False);
  if (safe < 0) return;
  hello_fd = safe;
  hello_digits = digits;
  write_digits(digits, hello_fd);
}

void tw_channel_let_inherit(Bool inherit) {
  if (hello_fd >= 0) VG_(fcntl)(hello_fd, VKI_F_SETFD, inherit ? 0 : VKI_FD_CLOEXEC);
  Int log = VG_(log_output_sink).fd;
  if (log > 2) VG_(fcntl)(log, VKI_F_SETFD, inherit ? 0 : VKI_FD_CLOEXEC);
}

/* The core duplicates the descriptor of --log-fd to a safe place and leaves the one it was given
 * open, where the client would see it. */
void tw_channel_keep_log_fd(void) {
  Int safe = VG_(log_output_sink).fd;
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) {
    HChar* argument = *(HChar**)VG_(indexXA)(VG_(args_for_valgrind), i);
    if (VG_(strncmp)(argument, "--log-fd=", 9) != 0) continue;
    Int given = (Int)VG_(strtoll10)(argument + 9, NULL);
    log_digits = argument + 9;
    if (safe < 0 || safe == given) return;
    VG_(close)(given);
    VG_(fcntl)(safe, VKI_F_SETFD, 0);
    write_digits(argument + 9, safe);
  }
}

static void move_above(Int* fd) {
  enum { kGetFlags = 1, kSetFlags = 2 };
  if (*fd <= 2) return;
  const Int flags = VG_(fcntl)(*fd, kGetFlags, 0);
  const Int moved = VG_(fcntl)(*fd, VKI_F_DUPFD, VG_(fd_hard_limit));
  if (moved < 0) return;
  VG_(fcntl)(moved, kSetFlags, flags);
  VG_(close)(*fd);
  *fd = moved;
}

void tw_channel_move_up(void) {
  Int* const all[] = {&hello_fd,         &own_fd,               &put_by,           &VG_(log_output_sink).fd,
                      &VG_(cl_exec_fd),  &VG_(cl_cmdline_fd),   &VG_(cl_auxv_fd)};
  for (UInt i = 0; i < sizeof all / sizeof all[0]; i++) move_above(all[i]);
  write_digits(hello_digits, hello_fd);
  write_digits(log_digits, VG_(log_output_sink).fd);
}

static Long send_with_fd(Int socket, const void* data, SizeT size, Int fd) {
  IoVector vector = {(void*)data, size};
  FdControl control = {20, kSocketLevel, kRights, fd, 0};
  MessageHeader header = {0};
  header.vectors = &vector;
  header.vector_count = 1;
  header.control = &control;
  header.control_size = sizeof control;
  return tw_syscall(__NR_sendmsg, socket, (ULong)&header, kNoSignal, 0, 0, 0);
}

static Long receive_with_fd(Int socket, void* data, SizeT size, Int* fd) {
  IoVector vector = {data, size};
  FdControl control = {0};
  MessageHeader header = {0};
  header.vectors = &vector;
  header.vector_count = 1;
  header.control = &control;
  header.control_size = sizeof control;
  Long got;
  do got = tw_syscall(__NR_recvmsg, socket, (ULong)&header, kMsgCmsgCloexec, 0, 0, 0);
  while (got == -VKI_EINTR);
  *fd = header.control_size >= 20 && control.type == kRights ? control.fd : -1;
  return got;
}

/* Without a driver: one slot of private memory that is filled again and again. */
static void open_private(void) {
  enum { kStream = 1 << 20 };
  ULong size = VG_PGROUNDUP(sizeof(TwChannel)) + TW_STREAM_COUNT * kStream;
  if (!tw_channel || channel_size < size) {
    tw_channel = VG_(am_shadow_alloc)(size);
    tl_assert(tw_channel);
    channel_size = size;
  } else {
    tw_syscall(__NR_mmap, (ULong)tw_channel, channel_size, 3, VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VKI_MAP_FIXED,
               -1, 0);
  }
  TwChannel* c = tw_channel;
  c->slot_count = 1;
  c->total_size = channel_size;
  c->slots_offset = VG_PGROUNDUP(sizeof(TwChannel));
  c->slot_size = TW_STREAM_COUNT * kStream;
  for (Int i = 0; i < TW_STREAM_COUNT; i++) {
    c->stream_offset[i] = (ULong)i * kStream;
    c->stream_capacity[i] = kStream;
  }
  recording = False;
}

static Bool map_channel(Int fd, ULong size) {
  if (tw_channel && channel_size == size) {
    Long got = tw_syscall(__NR_mmap, (ULong)tw_channel, size, 3, VKI_MAP_SHARED | VKI_MAP_FIXED, fd, 0);
    return got == (Long)(ULong)tw_channel;
  }
  if (tw_channel) return False;  /* code already points at a channel of another size */
  SysRes mapped = VG_(am_shared_mmap_file_float_valgrind)(size, VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
  if (sr_isError(mapped)) return False;
  tw_channel = (TwChannel*)sr_Res(mapped);
  channel_size = size;
  return True;
}

static Bool map_system_v(Int id, ULong size) {
  enum { kRemap = 040000 };
  if (!tw_channel) {
    tw_channel = VG_(am_shadow_alloc)(size);  /* a place that the client does not get */
    if (!tw_channel) return False;
    channel_size = size;
  }
  return channel_size == size &&
         tw_syscall(__NR_shmat, (ULong)id, (ULong)tw_channel, kRemap, 0, 0, 0) == (Long)(ULong)tw_channel;
}

static void map_answer(Int memory) {
  if (memory >= 0) {
    recording = map_channel(memory, answer.size);
    VG_(close)(memory);
  } else {
    recording = map_system_v((Int)answer.shm_id, answer.size);
  }
  if (!recording) open_private();
}

static Bool driver_is_gone(void) {
  struct {
    Int fd;
    Short events, revents;
  } poll = {own_fd, 0, 0};
  return own_fd < 0 || (tw_syscall(__NR_poll, (ULong)&poll, 1, 0, 0, 0, 0) > 0 && (poll.revents & (0x10 | 0x8 | 0x20)));
}

void tw_channel_open(TwHello* hello) {
  if (own_fd >= 0) VG_(close)(own_fd);  /* the parent's */
  if (put_by >= 0) VG_(close)(put_by);
  own_fd = put_by = -1;
  recording = False;
  hello->type = TW_MSG_HELLO;
  hello->version = TW_VERSION;

  Int pair[2];
  if (hello_fd < 0 || tw_syscall(__NR_socketpair, kUnixDomain, kSeqpacket | kSockCloexec, 0, (ULong)pair, 0, 0) < 0) {
    open_private();
    return;
  }
  own_fd = move_up(pair[0], True);
  Long sent = own_fd < 0 ? -1 : send_with_fd(hello_fd, hello, sizeof *hello, pair[1]);
  VG_(close)(pair[1]);
  Int memory = -1;
  if (sent < 0 || receive_with_fd(own_fd, &answer, sizeof answer, &memory) != sizeof answer ||
      answer.type != TW_MSG_CHANNEL || (memory < 0 && answer.shm_id < 0)) {
    if (own_fd >= 0) VG_(close)(own_fd);
    own_fd = -1;
    open_private();
    return;
  }
  process_number = answer.process;
  VG_(strncpy)(argv0, answer.argv0, sizeof argv0 - 1);
  if (tw_waiting) {
    if (memory >= 0) put_by = move_up(memory, True);
    open_private();
  } else {
    map_answer(memory);
  }
}

void tw_channel_begin(void) {
  if (own_fd < 0 || driver_is_gone() || (put_by < 0 && answer.shm_id < 0)) return;
  tw_channel = NULL;  /* no code holds its address yet */
  map_answer(put_by);
  put_by = -1;
}

Bool tw_channel_recording(void) { return recording; }
Int tw_channel_socket(void) { return own_fd; }
UInt tw_channel_process(void) { return process_number; }
const HChar* tw_channel_argv0(void) { return argv0; }

TwSlot* tw_channel_slot(void) { return &tw_channel->slot[tw_channel->produced % tw_channel->slot_count]; }

UChar* tw_channel_stream(Int stream) {
  TwChannel* c = tw_channel;
  return (UChar*)c + c->slots_offset + (c->produced % c->slot_count) * c->slot_size + c->stream_offset[stream];
}

static void stop_recording(void) { recording = False; }

void tw_channel_next_slot(void) {
  TwChannel* c = tw_channel;
  if (!recording) return;  /* nobody reads: the same slot again */
  TwSegmentMessage message = {TW_MSG_SEGMENT, c->produced % c->slot_count};
  __atomic_store_n(&c->produced, c->produced + 1, __ATOMIC_RELEASE);
  Long sent;
  do sent = tw_syscall(__NR_sendto, own_fd, (ULong)&message, sizeof message, kNoSignal, 0, 0);
  while (sent == -VKI_EINTR);
  if (sent < 0) {
    stop_recording();
    return;
  }
  for (;;) {
    UInt consumed = __atomic_load_n(&c->consumed, __ATOMIC_ACQUIRE);
    if (c->produced - consumed < c->slot_count) return;
    struct {
      Long seconds, nanoseconds;
    } timeout = {0, 100 * 1000 * 1000};
    tw_syscall(__NR_futex, (ULong)&c->consumed, 0 /* FUTEX_WAIT */, consumed, (ULong)&timeout, 0, 0);
    if (c->detached || driver_is_gone()) {
      stop_recording();
      return;
    }
  }
}

void tw_channel_send_exec(const HChar* text) {
  static TwExecMessage message;
  message.type = TW_MSG_EXEC;
  VG_(strncpy)(message.argv0, text, sizeof message.argv0 - 1);
  if (own_fd >= 0) tw_syscall(__NR_sendto, own_fd, (ULong)&message, sizeof message, kNoSignal, 0, 0);
}

void tw_channel_finish(void) {
  if (recording) __atomic_store_n(&tw_channel->finished, 1, __ATOMIC_RELEASE);
  recording = False;
}
