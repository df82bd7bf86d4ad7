/* SPDX-License-Identifier: MIT */
/* io_uring by raw system calls: reads of a file through the ring. */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
  struct io_uring_params p;
  char buf[4][64];
  memset(&p, 0, sizeof p);
  memset(buf, 0, sizeof buf);
  int fd = open("/etc/debian_version", O_RDONLY), ring = (int)syscall(SYS_io_uring_setup, 8, &p);
  if (ring < 0) return perror("io_uring_setup"), 1;
  size_t sq_size = p.sq_off.array + p.sq_entries * 4, cq_size = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
  char *sq = mmap(NULL, sq_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
  char *cq = mmap(NULL, cq_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
  struct io_uring_sqe *e = mmap(NULL, p.sq_entries * sizeof *e, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
  unsigned *tail = (unsigned *)(sq + p.sq_off.tail), mask = *(unsigned *)(sq + p.sq_off.ring_mask);
  for (unsigned i = 0; i < 4; i++) {
    unsigned k = *tail & mask;
    memset(&e[k], 0, sizeof *e);
    e[k].opcode = IORING_OP_READ;
    e[k].fd = fd;
    e[k].addr = (unsigned long)buf[i];
    e[k].len = 3;
    e[k].off = i;
    e[k].user_data = i;
    ((unsigned *)(sq + p.sq_off.array))[k] = k;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
  }
  int n = (int)syscall(SYS_io_uring_enter, ring, 4, 4, IORING_ENTER_GETEVENTS, NULL, 0);
  unsigned got = 0;
  unsigned *cq_tail = (unsigned *)(cq + p.cq_off.tail);
  struct io_uring_cqe *c = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
  for (unsigned i = 0; i < __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE); i++) got += c[i].res == 3;
  printf("%d %u [%s] [%s] [%s] [%s]\n", n, got, buf[0], buf[1], buf[2], buf[3]);
}
