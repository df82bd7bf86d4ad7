// SPDX-License-Identifier: MIT
// Messages, semaphores, shared memory and keys; terminals and other devices.
#include "calls.h"

#include <linux/loop.h>
#include <linux/random.h>
#include <mqueue.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

CASE(message_queue) {
  const int id = CALL(msgget, IPC_PRIVATE, 0600);
  U64(0) = 3;
  memcpy(m + 8, "a message", 9);
  CALL(msgsnd, id, m, 9, 0);
  CALL(msgrcv, id, m + 100, 50, 0, 0);
  CALL(msgctl, id, IPC_STAT, m + 256);
  CALL(msgctl, id, IPC_SET, m + 256);
  CALL(msgctl, 0, IPC_INFO, m + 512);
  CALL(msgctl, 0, MSG_INFO, m + 600);
  const int at = syscall(SYS_msgctl, 0, MSG_INFO, m + 700);
  CALL(msgctl, at, MSG_STAT, m + 800);
  CALL(msgctl, at, 13, m + 1000);
  CALL(msgctl, id, IPC_RMID, 0);
}
CASE(semaphores) {
  const int id = CALL(semget, IPC_PRIVATE, 5, 0600);
  for (int i = 0; i < 5; i++) U16(2 * i) = 3 + i;
  CALL(semctl, id, 0, SETALL, m);
  CALL(semctl, id, 1, SETVAL, 9);
  CALL(semctl, id, 0, GETALL, m + 100);
  CALL(semctl, id, 1, GETVAL);
  CALL(semctl, id, 1, GETPID);
  CALL(semctl, id, 1, GETNCNT);
  CALL(semctl, id, 1, GETZCNT);
  CALL(semctl, id, 0, IPC_STAT, m + 256);
  CALL(semctl, id, 0, IPC_SET, m + 256);
  CALL(semctl, 0, 0, IPC_INFO, m + 512);
  const int at = CALL(semctl, 0, 0, SEM_INFO, m + 600);
  CALL(semctl, at, 0, SEM_STAT, m + 700);
  CALL(semctl, at, 0, 20, m + 900);
  U16(1000 + 0) = 0;
  U16(1000 + 2) = 1;
  U16(1000 + 4) = 0;
  CALL(semop, id, m + 1000, 1);
  U64(1100) = 1;
  U64(1108) = 0;
  CALL(semtimedop, id, m + 1000, 1, m + 1100);
  CALL(semctl, id, 0, IPC_RMID);
}
CASE(shared_memory) {
  const int id = CALL(shmget, IPC_PRIVATE, 4096, 0600);
  const long at = CALL(shmat, id, 0, 0);
  CALL(shmctl, id, IPC_STAT, m);
  CALL(shmctl, id, IPC_SET, m);
  CALL(shmctl, 0, IPC_INFO, m + 256);
  const int number = CALL(shmctl, 0, SHM_INFO, m + 512);
  CALL(shmctl, number, SHM_STAT, m + 768);
  CALL(shmctl, number, 15, m + 1024);
  CALL(shmctl, id, SHM_LOCK, 0);
  CALL(shmctl, id, SHM_UNLOCK, 0);
  CALL(shmdt, at);
  CALL(shmctl, id, IPC_RMID, 0);
}
CASE(posix_queue) {
  memcpy(m, "twinrun-writes", 15);
  struct mq_attr* attr = (struct mq_attr*)(m + 64);
  memset(attr, 0, sizeof *attr);
  attr->mq_maxmsg = 4;
  attr->mq_msgsize = 100;
  const int fd = CALL(mq_open, m, O_RDWR | O_CREAT, 0600, attr);
  memcpy(m + 200, "posted", 6);
  CALL(mq_timedsend, fd, m + 200, 6, 3, 0);
  CALL(mq_timedsend, fd, m + 200, 6, 4, 0);
  CALL(mq_timedreceive, fd, m + 300, 100, m + 450, 0);
  CALL(mq_timedreceive, fd, m + 500, 100, 0, 0);
  CALL(mq_getsetattr, fd, 0, m + 700);
  syscall(SYS_mq_notify, fd, 0);
  CALL(mq_unlink, m);
  close(fd);
}
CASE(keys) {
  memcpy(m, "user", 5);
  memcpy(m + 16, "twinrun:writes", 15);
  memcpy(m + 64, "secret", 6);
  const long key = CALL(add_key, m, m + 16, m + 64, 6, -2);
  CALL(request_key, m, m + 16, 0, 0);
  CALL(keyctl, 6, key, m + 256, 200);
  CALL(keyctl, 6, key, m + 512, 4);
  CALL(keyctl, 11, key, m + 768, 100);
  CALL(keyctl, 11, key, m + 1024, 3);
  CALL(keyctl, 17, key, m + 1280, 100);
  CALL(keyctl, 3, key);
}
CASE(terminal) {
  const int master = open("/dev/ptmx", O_RDWR | O_NOCTTY);
  U32(0) = 0;
  CALL(ioctl, master, TIOCSPTLCK, m);
  CALL(ioctl, master, TIOCGPTN, m + 16);
  CALL(ioctl, master, TIOCGPTLCK, m + 32);
  CALL(ioctl, master, TIOCGPKT, m + 48);
  U32(64) = 0;
  CALL(ioctl, master, TIOCPKT, m + 64);
  const int fd = CALL(ioctl, master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
  CALL(ioctl, fd, TCGETS, m + 256);
  CALL(ioctl, fd, TCSETS, m + 256);
  CALL(ioctl, fd, TCSETSW, m + 256);
  CALL(ioctl, fd, TCSETSF, m + 256);
  CALL(ioctl, fd, TCGETA, m + 512);
  CALL(ioctl, fd, TCSETA, m + 512);
  CALL(ioctl, fd, TCSETAW, m + 512);
  CALL(ioctl, fd, TCSETAF, m + 512);
  CALL(ioctl, fd, 0x802c542a /* TCGETS2 */, m + 768);
  CALL(ioctl, fd, TIOCGLCKTRMIOS, m + 1024);
  CALL(ioctl, fd, TIOCSLCKTRMIOS, m + 1024);
  CALL(ioctl, fd, TIOCGWINSZ, m + 1280);
  CALL(ioctl, fd, TIOCSWINSZ, m + 1280);
  CALL(ioctl, fd, TIOCGETD, m + 1300);
  CALL(ioctl, fd, TIOCSETD, m + 1300);
  CALL(ioctl, fd, TIOCOUTQ, m + 1320);
  CALL(ioctl, fd, FIONREAD, m + 1340);
  CALL(ioctl, fd, TIOCGEXCL, m + 1360);
  CALL(ioctl, fd, TIOCEXCL);
  CALL(ioctl, fd, TIOCNXCL);
  CALL(ioctl, fd, TIOCGDEV, m + 1380);
  CALL(ioctl, fd, TIOCGSOFTCAR, m + 1400);
  CALL(ioctl, fd, TIOCSSOFTCAR, m + 1400);
  CALL(ioctl, fd, TCSBRK, 1);
  CALL(ioctl, fd, TCSBRKP, 0);
  CALL(ioctl, fd, TCXONC, 1);
  CALL(ioctl, fd, TCFLSH, 0);
  syscall(SYS_ioctl, fd, TIOCSBRK);
  syscall(SYS_ioctl, fd, TIOCCBRK);
  syscall(SYS_ioctl, fd, TIOCMGET, m + 1420);
  U32(1440) = 0;
  syscall(SYS_ioctl, fd, TIOCMSET, m + 1440);
  syscall(SYS_ioctl, fd, TIOCMBIS, m + 1440);
  syscall(SYS_ioctl, fd, TIOCMBIC, m + 1440);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    memset(m + 2048, m[kSlot - 1], 256);  // what a process finds in its memory when it is made is nobody's write
    CALL(ioctl, fd, TIOCSCTTY, 0);
    U32(2048) = getpid();
    CALL(ioctl, fd, TIOCSPGRP, m + 2048);
    CALL(ioctl, fd, TIOCGPGRP, m + 2064);
    CALL(ioctl, fd, TIOCGSID, m + 2080);
    m[2100] = 'x';
    syscall(SYS_ioctl, fd, TIOCSTI, m + 2100);
    signal(SIGHUP, SIG_IGN);
    uint64_t sum = 0;
    for (int i = 2048; i < 2200; i += 8) sum += *(volatile uint64_t*)(m + i);
    CALL(ioctl, fd, TIOCNOTTY);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  close(fd);
  close(master);
}
CASE(serial_line) {
  const int fd = open("/dev/ttyS0", O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return;
  CALL(ioctl, fd, TIOCMGET, m);
  CALL(ioctl, fd, TIOCGSERIAL, m + 64);
  CALL(ioctl, fd, TIOCSERGETLSR, m + 256);
  CALL(ioctl, fd, TIOCGICOUNT, m + 512);
  close(fd);
}
CASE(console) {
  const int fd = open("/dev/tty0", O_RDWR | O_NOCTTY);
  if (fd < 0) return;
  CALL(ioctl, fd, 0x4b33 /* KDGKBTYPE */, m);
  CALL(ioctl, fd, 0x4b3b /* KDGETMODE */, m + 16);
  CALL(ioctl, fd, 0x4b44 /* KDGKBMODE */, m + 32);
  CALL(ioctl, fd, 0x4b62 /* KDGKBMETA */, m + 48);
  CALL(ioctl, fd, 0x4b64 /* KDGKBLED */, m + 64);
  CALL(ioctl, fd, 0x5601 /* VT_GETMODE */, m + 80);
  CALL(ioctl, fd, 0x5603 /* VT_GETSTATE */, m + 96);
  CALL(ioctl, fd, 0x5600 /* VT_OPENQRY, of which the recorder does not know */, m + 112);
  close(fd);
}
CASE(loop_device) {
  const int fd = open("/dev/loop0", O_RDONLY);
  if (fd < 0) return;
  syscall(SYS_ioctl, fd, LOOP_GET_STATUS, m);
  syscall(SYS_ioctl, fd, LOOP_GET_STATUS64, m + 512);
  close(fd);
}
CASE(namespaces) {
  const int fd = open("/proc/self/ns/user", O_RDONLY);
  CALL(ioctl, fd, 0xb704 /* NS_GET_OWNER_UID */, m);
  CALL(ioctl, fd, 0xb703 /* NS_GET_NSTYPE */);
  const int net = open("/proc/self/ns/net", O_RDONLY);
  close(CALL(ioctl, net, 0xb701 /* NS_GET_USERNS */));
  syscall(SYS_ioctl, fd, 0xb702 /* NS_GET_PARENT */);
  close(fd);
  close(net);
}
CASE(randomness) {
  const int fd = open("/dev/urandom", O_RDONLY);
  CALL(ioctl, fd, RNDGETENTCNT, m);
  CALL(read, fd, m + 64, 100);
  close(fd);
}
CASE(shared_by_file) {
  // A file that is mapped, and written by the call.
  const int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (ftruncate(fd, 4096) != 0) abort();
  unsigned char* at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  memcpy(m, "hello", 5);
  if (write(fd, m, 5) != 5) abort();
  m[100] = at[0];
  munmap(at, 4096);
  close(fd);
}
