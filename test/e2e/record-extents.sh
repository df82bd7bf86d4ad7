# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A call whose number tells the size of its head only: what the kernel writes behind it is recorded, too.
needs_recorder
cat >prog.c <<'C'
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
int main(int argc, char **argv) {
  static union {
    struct fiemap head;
    unsigned char bytes[sizeof(struct fiemap) + 4 * sizeof(struct fiemap_extent)];
  } map;
  for (unsigned i = 0; i < sizeof map.bytes; i++)
    map.bytes[i] = 0;
  int fd = open(argv[1], O_RDONLY);
  map.head.fm_length = ~0ull;
  map.head.fm_extent_count = argc > 2 ? 0 : 4;
  if (ioctl(fd, FS_IOC_FIEMAP, &map) != 0)
    return 0; /* not every file system has it */
  unsigned sum = 0;
  for (unsigned i = 0; i < sizeof map.bytes; i++)
    sum += map.bytes[i];
  printf("%u %u\n", map.head.fm_mapped_extents, sum);
  return 0;
}
C
cc -o prog prog.c
head -c 100000 /dev/zero | tr '\0' x >file
sync file
twinrun record -q -o with -- ./prog file
twinrun verify with
twinrun record -q -o without -- ./prog file none
twinrun verify without
