/* SPDX-License-Identifier: MIT */
/* POSIX asynchronous input and output. */
/* torture: flags=-pthread */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644);
  char text[] = "written later";
  struct aiocb out = {.aio_fildes = fd, .aio_buf = text, .aio_nbytes = sizeof text, .aio_offset = 5};
  aio_write(&out);
  const struct aiocb *all[1] = {&out};
  while (aio_error(&out) == EINPROGRESS) aio_suspend(all, 1, NULL);
  printf("%ld\n", (long)aio_return(&out));
  char back[30] = "";
  struct aiocb in = {.aio_fildes = fd, .aio_buf = back, .aio_nbytes = 29, .aio_offset = 5};
  aio_read(&in);
  all[0] = &in;
  while (aio_error(&in) == EINPROGRESS) aio_suspend(all, 1, NULL);
  printf("%ld %s\n", (long)aio_return(&in), back);
}
