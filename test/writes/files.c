// SPDX-License-Identifier: MIT
// Calls about files, directories and descriptors.
#include "calls.h"

#include <linux/aio_abi.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>

static void put(unsigned char* m, const char* text) { strcpy((char*)m, text); }

/// A file of this size, open for both.
static int file_of(const char* name, int size) {
  const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  char text[512];
  memset(text, 'x', sizeof text);
  for (int left = size; left > 0; left -= 512)
    if (write(fd, text, left < 512 ? left : 512) < 0) abort();
  lseek(fd, 0, SEEK_SET);
  return fd;
}

static void vector(unsigned char* m, int first, int second) {
  U64(0) = P(1024);
  U64(8) = first;
  U64(16) = P(2048);
  U64(24) = second;
}

CASE(read_file) {
  const int fd = file_of("read", 300);
  CALL(read, fd, m, 200);
  CALL(read, fd, m + 1000, 400);
  CALL(read, fd, m + 2000, 400);
  CALL(pread64, fd, m + 3000, 50, 10);
  vector(m, 20, 100);
  lseek(fd, 0, SEEK_SET);
  CALL(readv, fd, m, 2);
  close(fd);
}
CASE(own_memory) {
  const int fd = open("/proc/self/mem", O_RDWR);
  put(m, "into the program's own memory");
  CALL(pwrite64, fd, m, 10, P(1000));
  lseek(fd, P(2000), SEEK_SET);
  CALL(write, fd, m, 20);
  CALL(write, fd, m, 5);
  vector(m, 20, 100);
  memset(m + 1024, 'v', 20);
  memset(m + 2048, 'w', 100);
  CALL(writev, fd, m, 2);
  CALL(pwritev, fd, m, 2, P(3000), 0);
  CALL(pwritev2, fd, m, 2, P(4000), 0, 0);
  lseek(fd, P(5000), SEEK_SET);
  CALL(pwritev2, fd, m, 2, -1L, -1L, 0);
  close(fd);
}
CASE(preadv) {
  const int fd = file_of("read", 30);
  vector(m, 20, 100);
  CALL(preadv, fd, m, 2, 0, 0);
  close(fd);
}
CASE(preadv2) {
  const int fd = file_of("read", 130);
  vector(m, 20, 100);
  CALL(preadv2, fd, m, 2, 5, 0, 0);
  close(fd);
}
CASE(read_writes_nothing) {
  const int fd = file_of("empty", 0);
  CALL(read, fd, m, 100);
  CALL(read, -1, m, 100);
  close(fd);
}
CASE(read_over_pages) {
  const int fd = file_of("large", 9000);
  CALL(read, fd, m + 100, 9000);
  close(fd);
}
CASE(writes) {
  const int fd = file_of("written", 0);
  vector(m, 20, 100);
  CALL(write, fd, m, 10);
  CALL(pwrite64, fd, m, 10, 4);
  CALL(writev, fd, m, 2);
  CALL(pwritev, fd, m, 2, 0, 0);
  CALL(pwritev2, fd, m, 2, 0, 0, 0);
  CALL(close, fd);
}
CASE(opens) {
  put(m, "opened");
  close(CALL(open, m, O_RDWR | O_CREAT, 0600));
  close(CALL(creat, m, 0600));
  int fd = CALL(openat, AT_FDCWD, m, O_RDWR);
  CALL(lseek, fd, 4, SEEK_SET);
  close(CALL(dup, fd));
  CALL(dup2, fd, 200);
  CALL(dup3, fd, 201, 0);
  CALL(close_range, 200, 201, 0);
  CALL(flock, fd, 2);
  CALL(fsync, fd);
  CALL(fdatasync, fd);
  CALL(syncfs, fd);
  CALL(sync_file_range, fd, 0, 0, 0);
  CALL(ftruncate, fd, 100);
  CALL(truncate, m, 50);
  CALL(fallocate, fd, 0, 0, 100);
  CALL(fadvise64, fd, 0, 0, 0);
  CALL(readahead, fd, 0, 100);
  CALL(fchmod, fd, 0644);
  CALL(fchown, fd, -1, -1);
  close(fd);
}
CASE(names) {
  put(m, "name1");
  put(m + 100, "name2");
  put(m + 200, "name3");
  put(m + 300, "directory");
  close(open("name1", O_RDWR | O_CREAT, 0600));
  CALL(access, m, F_OK);
  CALL(faccessat, AT_FDCWD, m, F_OK);
  CALL(faccessat2, AT_FDCWD, m, F_OK, 0);
  CALL(chmod, m, 0644);
  CALL(fchmodat, AT_FDCWD, m, 0600);
  CALL(chown, m, -1, -1);
  CALL(lchown, m, -1, -1);
  CALL(fchownat, AT_FDCWD, m, -1, -1, 0);
  CALL(rename, m, m + 100);
  CALL(renameat, AT_FDCWD, m + 100, AT_FDCWD, m);
  CALL(renameat2, AT_FDCWD, m, AT_FDCWD, m + 100, 0);
  CALL(link, m + 100, m);
  CALL(unlink, m);
  CALL(linkat, AT_FDCWD, m + 100, AT_FDCWD, m, 0);
  CALL(unlinkat, AT_FDCWD, m, 0);
  CALL(symlink, m + 100, m);
  CALL(symlinkat, m + 100, AT_FDCWD, m + 200);
  unlink("name1");
  unlink("name3");
  unlink("name2");
  CALL(mkdir, m + 300, 0755);
  CALL(chdir, m + 300);
  if (chdir("..") != 0) abort();
  const int fd = open(".", O_RDONLY);
  CALL(fchdir, fd);
  close(fd);
  CALL(rmdir, m + 300);
  CALL(mkdirat, AT_FDCWD, m + 300, 0755);
  rmdir("directory");
  CALL(umask, 022);
  CALL(mknod, m, 0010600, 0);
  unlink("name1");
  CALL(mknodat, AT_FDCWD, m, 0010600, 0);
  memset(m + 400, 0, 64);
  CALL(utime, m, m + 400);
  CALL(utimes, m, m + 400);
  CALL(futimesat, AT_FDCWD, m, m + 400);
  CALL(utimensat, AT_FDCWD, m, m + 400, 0);
  unlink("name1");
  CALL(sync);
}
CASE(privileged_names) {
  put(m, "/nowhere/at/all");
  CALL(chroot, m);
  CALL(pivot_root, m, m);
  CALL(mount, m, m, m, 0, 0);
  CALL(umount2, m, 0);
  CALL(acct, m);
}
CASE(stats) {
  put(m, ".");
  const int fd = open(".", O_RDONLY);
  CALL(stat, m, m + 256);
  CALL(fstat, fd, m + 512);
  CALL(lstat, m, m + 768);
  CALL(newfstatat, AT_FDCWD, m, m + 1024, 0);
  CALL(statx, AT_FDCWD, m, 0, 0x7ff, m + 2048);
  CALL(statfs, m, m + 3072);
  CALL(fstatfs, fd, m + 3328);
  close(fd);
}
CASE(directory) {
  const int fd = open("/usr", O_RDONLY);
  CALL(getdents64, fd, m, 4096);
  lseek(fd, 0, SEEK_SET);
  CALL(getdents, fd, m + 4096, 4096);
  CALL(getcwd, m + 8192, 1000);
  close(fd);
}
CASE(readlinks) {
  put(m, "linked");
  if (symlink("/some/where", "linked") != 0) abort();
  CALL(readlink, m, m + 100, 1000);
  CALL(readlink, m, m + 300, 4);
  CALL(readlinkat, AT_FDCWD, m, m + 2000, 100);
  unlink("linked");
}
CASE(extended_attributes) {
  put(m, "attributes");
  put(m + 100, "user.colour");
  const int fd = file_of("attributes", 1);
  put(m + 200, "blue");
  CALL(setxattr, m, m + 100, m + 200, 5, 0);
  CALL(lsetxattr, m, m + 100, m + 200, 5, 0);
  CALL(fsetxattr, fd, m + 100, m + 200, 5, 0);
  CALL(getxattr, m, m + 100, m + 300, 100);
  CALL(getxattr, m, m + 100, m + 900, 0);
  CALL(lgetxattr, m, m + 100, m + 400, 100);
  CALL(fgetxattr, fd, m + 100, m + 500, 100);
  CALL(listxattr, m, m + 600, 100);
  CALL(listxattr, m, m + 1000, 0);
  CALL(llistxattr, m, m + 700, 100);
  CALL(flistxattr, fd, m + 800, 100);
  CALL(removexattr, m, m + 100);
  CALL(lremovexattr, m, m + 100);
  CALL(fremovexattr, fd, m + 100);
  close(fd);
}
CASE(handle) {
  put(m, "/");
  U32(100) = 100;
  CALL(name_to_handle_at, AT_FDCWD, m, m + 100, m + 300, 0);
  U32(400) = 0;
  CALL(name_to_handle_at, AT_FDCWD, m, m + 400, m + 500, 0);
  CALL(open_by_handle_at, -1, m + 100, 0);
}
CASE(pipes) {
  CALL(pipe, m);
  CALL(pipe2, m + 100, O_CLOEXEC);
  CALL(splice, U32(0), 0, U32(104), 0, 1, SPLICE_F_NONBLOCK);
  CALL(tee, U32(0), U32(104), 1, SPLICE_F_NONBLOCK);
  put(m + 200, "through the pipe");
  vector(m + 300, 0, 0);
  U64(300) = P(200);
  U64(308) = 16;
  CALL(vmsplice, U32(4), m + 300, 1, 0);
  U64(300) = P(400);
  CALL(vmsplice, U32(0), m + 300, 1, 0);
  for (int i = 0; i < 2; i++) {
    close(U32(4 * i));
    close(U32(100 + 4 * i));
  }
}
CASE(pipe_too_high) {
  // The last descriptor: the other one is above what Valgrind lets a program have.
  struct rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const struct rlimit low = {100, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  int all[100];
  int used = 0;
  while (used < 100 && (all[used] = open("/dev/null", O_RDONLY)) >= 0) used++;
  if (used > 0) close(all[--used]);
  syscall(SYS_pipe, m);
  syscall(SYS_pipe2, m + 100, 0);
  syscall(SYS_socketpair, 1, 1, 0, m + 200);
  while (used > 0) close(all[--used]);
  setrlimit(RLIMIT_NOFILE, &before);
}
CASE(between_files) {
  const int from = file_of("from", 1000);
  const int to = file_of("to", 0);
  int pipes[2];
  if (pipe(pipes) != 0) abort();
  U64(0) = 3;
  CALL(sendfile, to, from, m, 100);
  U64(200) = 7;
  CALL(sendfile, -1, from, m + 200, 100);
  U64(8) = 5;
  U64(16) = 6;
  CALL(copy_file_range, from, m + 8, to, m + 16, 50, 0);
  U64(24) = 1000;
  U64(32) = 2;
  CALL(copy_file_range, from, m + 24, to, m + 32, 50, 0);
  U64(40) = 9;
  CALL(splice, from, m + 40, pipes[1], 0, 30, 0);
  U64(48) = 11;
  CALL(splice, pipes[0], 0, to, m + 48, 30, 0);
  close(from);
  close(to);
  close(pipes[0]);
  close(pipes[1]);
}
CASE(polls) {
  int pipes[2];
  if (pipe(pipes) != 0) abort();
  struct pollfd* fds = (struct pollfd*)m;
  for (int i = 0; i < 6; i++) fds[i] = (struct pollfd){i % 2 ? pipes[1] : pipes[0], POLLIN | POLLOUT, 0x1234};
  CALL(poll, m, 2, 0);
  U64(100) = 5;
  U64(108) = 77;
  CALL(ppoll, m + 16, 2, m + 100, 0, 8);
  U64(200) = 0;
  U64(208) = 1000;
  CALL(ppoll, m + 32, 1, m + 200, 0, 8);
  for (int i = 0; i < 8; i++) memset(m + 512 + 128 * i, 0, 128);
  FD_SET(pipes[0], (fd_set*)(m + 512));
  FD_SET(pipes[1], (fd_set*)(m + 640));
  U64(300) = 3;
  U64(308) = 77;
  CALL(select, 64, m + 512, m + 640, 0, m + 300);
  FD_SET(pipes[0], (fd_set*)(m + 768));
  FD_SET(pipes[1], (fd_set*)(m + 896));
  U64(400) = 2;
  U64(408) = 77;
  CALL(pselect6, 64, m + 768, m + 896, m + 1024, m + 400, 0);
  close(pipes[0]);
  close(pipes[1]);
}
static void ignore(int signal) { (void)signal; }
CASE(polls_interrupted) {
  signal(SIGALRM, ignore);
  struct pollfd* fds = (struct pollfd*)m;
  int pipes[2];
  if (pipe(pipes) != 0) abort();
  fds[0] = (struct pollfd){pipes[0], POLLIN, 0x1234};
  fds[1] = (struct pollfd){pipes[0], POLLIN, 0x1234};
  for (int i = 0; i < 4; i++) {
    U64(100 + 16 * i) = 20;
    U64(108 + 16 * i) = 5;
  }
  memset(m + 256, 0, 128);
  FD_SET(pipes[0], (fd_set*)(m + 256));
  for (int i = 0; i < 4; i++) {
    ualarm(20000, 0);
    if (i == 0) syscall(SYS_poll, m, 1, 20000);
    if (i == 1) syscall(SYS_ppoll, m + 8, 1, m + 100, 0, 8);
    if (i == 2) syscall(SYS_select, 64, m + 256, 0, 0, m + 116);
    if (i == 3) syscall(SYS_pselect6, 64, m + 256, 0, 0, m + 132, 0);
  }
  close(pipes[0]);
  close(pipes[1]);
}
CASE(epoll) {
  int fd = CALL(epoll_create, 1);
  close(CALL(epoll_create1, 0));
  struct epoll_event event = {EPOLLOUT, {.u64 = 0x1122334455667788}};
  memcpy(m, &event, sizeof event);
  int pipes[2];
  if (pipe(pipes) != 0) abort();
  CALL(epoll_ctl, fd, EPOLL_CTL_ADD, pipes[1], m);
  CALL(epoll_wait, fd, m + 100, 8, 0);
  CALL(epoll_pwait, fd, m + 300, 8, 0, 0, 8);
  close(fd);
  close(pipes[0]);
  close(pipes[1]);
}
CASE(signal_and_event_descriptors) {
  int fd = CALL(eventfd, 3);
  read(fd, m, 8);
  close(fd);
  fd = CALL(eventfd2, 4, 0);
  read(fd, m + 8, 8);
  close(fd);
  memset(m + 100, 0, 8);
  U64(100) = 1 << (SIGUSR1 - 1);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR1);
  fd = CALL(signalfd4, -1, m + 100, 8, O_NONBLOCK);
  CALL(signalfd, fd, m + 100, 8);
  CALL(read, fd, m + 200, 256);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  close(fd);
}
CASE(inotify) {
  int fd = CALL(inotify_init);
  close(fd);
  fd = CALL(inotify_init1, O_NONBLOCK);
  put(m, ".");
  const int watch = CALL(inotify_add_watch, fd, m, IN_CREATE);
  close(file_of("watched", 1));
  unlink("watched");
  close(file_of("watched", 1));
  CALL(read, fd, m + 100, 1000);
  CALL(inotify_rm_watch, fd, watch);
  close(fd);
}
CASE(fanotify) {
  const int fd = CALL(fanotify_init, 0, O_RDONLY);
  put(m, ".");
  CALL(fanotify_mark, fd, 1, 0x20, AT_FDCWD, m);
  close(fd);
}
CASE(timer_descriptor) {
  const int fd = CALL(timerfd_create, 1, 0);
  memset(m, 0, 32);
  U64(16) = 100;
  CALL(timerfd_settime, fd, 0, m, 0);
  CALL(timerfd_settime, fd, 0, m, m + 100);
  CALL(timerfd_gettime, fd, m + 200);
  close(fd);
}
CASE(asynchronous) {
  const int fd = file_of("asynchronous", 600);
  U64(0) = 0;
  CALL(io_setup, 4, m);
  struct iocb* one = (struct iocb*)(m + 256);
  struct iocb* two = (struct iocb*)(m + 512);
  memset(one, 0, sizeof *one);
  memset(two, 0, sizeof *two);
  one->aio_key = two->aio_key = 0x77;
  one->aio_lio_opcode = IOCB_CMD_PREAD;
  one->aio_fildes = two->aio_fildes = fd;
  one->aio_buf = P(2048);
  one->aio_nbytes = 500;
  two->aio_lio_opcode = IOCB_CMD_PREADV;
  vector(m + 1024, 0, 0);
  U64(1024) = P(4096);
  U64(1032) = 20;
  U64(1040) = P(5000);
  U64(1048) = 30;
  two->aio_buf = P(1024);
  two->aio_nbytes = 2;
  U64(100) = P(256);
  U64(108) = P(512);
  CALL(io_submit, U64(0), 2, m + 100);
  CALL(io_getevents, U64(0), 2, 2, m + 6000, 0);
  syscall(SYS_io_cancel, U64(0), m + 256, m + 7000);
  CALL(io_destroy, U64(0));
  close(fd);
}
CASE(io_uring) {
  // In a process of its own: from here on verify asks nothing of it.
  const pid_t child = fork();
  if (child == 0) {
    memset(m, 0, 120);
    const int fd = syscall(SYS_io_uring_setup, 4, m);
    if (fd >= 0) syscall(SYS_io_uring_enter, fd, 0, 0, 0, 0, 0);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}
CASE(memory_file) {
  put(m, "memory");
  close(CALL(memfd_create, m, 0));
}
CASE(locks) {
  const int fd = file_of("locked", 100);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 20};
  int ready[2];
  int done[2];
  if (pipe(ready) != 0 || pipe(done) != 0) abort();
  const pid_t child = fork();
  if (child == 0) {
    fcntl(fd, F_SETLK, &lock);
    char byte = 0;
    write(ready[1], &byte, 1);
    close(done[1]);
    read(done[0], &byte, 1);
    _exit(0);
  }
  char byte;
  read(ready[0], &byte, 1);
  memcpy(m, &lock, sizeof lock);
  CALL(fcntl, fd, F_GETLK, m);
  lock.l_pid = 0;
  memcpy(m + 100, &lock, sizeof lock);
  CALL(fcntl, fd, F_OFD_GETLK, m + 100);
  close(done[1]);
  waitpid(child, NULL, 0);
  lock.l_start = 50;
  memcpy(m + 200, &lock, sizeof lock);
  CALL(fcntl, fd, F_SETLK, m + 200);
  CALL(fcntl, fd, F_SETLKW, m + 200);
  const int other = open("locked", O_RDWR);
  lock.l_start = 90;
  lock.l_len = 1;
  memcpy(m + 300, &lock, sizeof lock);
  CALL(fcntl, other, F_OFD_SETLK, m + 300);
  CALL(fcntl, other, F_OFD_SETLKW, m + 300);
  close(other);
  for (int i = 0; i < 2; i++) {
    close(ready[i]);
    if (i == 0) close(done[i]);
  }
  close(fd);
}
CASE(descriptor_commands) {
  const int fd = file_of("commands", 10);
  close(CALL(fcntl, fd, F_DUPFD, 50));
  close(CALL(fcntl, fd, F_DUPFD_CLOEXEC, 50));
  CALL(fcntl, fd, F_GETFD);
  CALL(fcntl, fd, F_SETFD, 0);
  CALL(fcntl, fd, F_GETFL);
  CALL(fcntl, fd, F_SETFL, O_RDWR);
  CALL(fcntl, fd, F_SETOWN, getpid());
  CALL(fcntl, fd, F_GETOWN);
  CALL(fcntl, fd, F_SETSIG, 0);
  CALL(fcntl, fd, F_GETSIG);
  CALL(fcntl, fd, F_GETOWN_EX, m);
  U32(50) = F_OWNER_PID;
  U32(54) = getpid();
  CALL(fcntl, fd, F_SETOWN_EX, m + 50);
  CALL(fcntl, fd, 17 /* F_GETOWNER_UIDS */, m + 100);
  CALL(fcntl, fd, F_GET_RW_HINT, m + 200);
  U64(220) = 2;
  CALL(fcntl, fd, F_SET_RW_HINT, m + 220);
  CALL(fcntl, fd, F_GET_FILE_RW_HINT, m + 300);
  CALL(fcntl, fd, F_SET_FILE_RW_HINT, m + 220);
  close(fd);
  const int lease = open("commands", O_RDONLY);
  CALL(fcntl, lease, F_SETLEASE, F_RDLCK);
  CALL(fcntl, lease, F_GETLEASE);
  close(lease);
  const int directory = open(".", O_RDONLY);
  CALL(fcntl, directory, F_NOTIFY, 0);
  close(directory);
  int pipes[2];
  if (pipe(pipes) != 0) abort();
  CALL(fcntl, pipes[0], F_GETPIPE_SZ);
  CALL(fcntl, pipes[0], F_SETPIPE_SZ, 4096);
  close(pipes[0]);
  close(pipes[1]);
  const int memory = memfd_create("seals", MFD_ALLOW_SEALING);
  CALL(fcntl, memory, F_ADD_SEALS, F_SEAL_GROW);
  CALL(fcntl, memory, F_GET_SEALS);
  close(memory);
}
CASE(file_ioctls) {
  const int fd = file_of("extents", 8192);
  fsync(fd);
  CALL(ioctl, fd, FIGETBSZ, m);
  CALL(ioctl, fd, 0x5460 /* FIOQSIZE */, m + 16);
  CALL(ioctl, fd, FS_IOC_GETFLAGS, m + 32);
  U64(32 + 16) = U32(32);
  CALL(ioctl, fd, FS_IOC_SETFLAGS, m + 48);
  CALL(ioctl, fd, FS_IOC_GETVERSION, m + 64);
  CALL(ioctl, fd, FS_IOC_FSGETXATTR, m + 128);
  U32(200) = 0;
  CALL(ioctl, fd, FIBMAP, m + 200);
  struct fiemap* map = (struct fiemap*)(m + 1024);
  memset(map, 0, sizeof *map);
  map->fm_length = ~0ULL;
  map->fm_extent_count = 4;
  CALL(ioctl, fd, FS_IOC_FIEMAP, map);
  CALL(ioctl, fd, FIONREAD, m + 208);
  CALL(ioctl, fd, FIOCLEX);
  CALL(ioctl, fd, FIONCLEX);
  U32(216) = 0;
  CALL(ioctl, fd, FIONBIO, m + 216);
  syscall(SYS_ioctl, fd, FIOASYNC, m + 216);
  CALL(ioctl, fd, FS_IOC_GETFSLABEL, m + 4096);
  const int other = file_of("extents2", 8192);
  struct file_dedupe_range* range = (struct file_dedupe_range*)(m + 2048);
  memset(range, 0, 24 + 32);
  range->src_length = 4096;
  range->dest_count = 1;
  range->info[0].dest_fd = other;
  range->info[0].bytes_deduped = 0x1234;
  range->info[0].status = 0x1234;
  CALL(ioctl, fd, FIDEDUPERANGE, range);
  CALL(ioctl, fd, FICLONE, other);
  memset(m + 3000, 0, 32);
  CALL(ioctl, fd, FICLONERANGE, m + 3000);
  close(other);
  close(fd);
}
CASE(process_maps) {
  const int fd = open("/proc/self/pagemap", O_RDONLY);
  memset(m, 0, 96);
  U64(0) = 96;
  U64(16) = P(0) & ~4095;
  U64(24) = (P(0) & ~4095) + kSlot;
  U64(32) = 0x1234;
  U64(40) = P(1024);
  U64(48) = 8;
  U64(80) = 0;
  U64(88) = 2 | 8; // written, present
  U64(72) = 8;
  CALL(ioctl, fd, 0xc0606610 /* PAGEMAP_SCAN */, m);
  close(fd);
  const int maps = open("/proc/self/task/1/../../maps", O_RDONLY);
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/maps", (int)getppid());
  const int parents = open(name, O_RDONLY);
  memset(m + 2048, 0, 104);
  U64(2048) = 104;
  U64(2048 + 8) = 0x10; // what covers it, or comes next
  U64(2048 + 16) = 0x400000;
  U32(2048 + 80) = 200;
  U32(2048 + 84) = 40;
  U64(2048 + 88) = P(3000);
  U64(2048 + 96) = P(4000);
  CALL(ioctl, parents, 0xc0686611 /* PROCMAP_QUERY */, m + 2048);
  close(parents);
  if (maps >= 0) close(maps);
}
CASE(block_device) {
  int fd = open("/dev/vda", O_RDONLY);
  if (fd < 0) fd = open("/dev/loop0", O_RDONLY);
  if (fd < 0) return;
  static const unsigned long gets[] = {BLKROGET, BLKGETSIZE, BLKRAGET, BLKFRAGET, BLKSECTGET, BLKSSZGET, BLKBSZGET, BLKGETSIZE64,
                                       BLKIOMIN, BLKIOOPT, BLKALIGNOFF, BLKPBSZGET, BLKDISCARDZEROES, BLKROTATIONAL, 0x301};
  for (unsigned i = 0; i < sizeof gets / sizeof gets[0]; i++) CALL(ioctl, fd, gets[i], m + 64 * i);
  close(fd);
}
