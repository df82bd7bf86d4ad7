/* SPDX-License-Identifier: MIT */
/* An ioctl that the recorder knows nothing of, and that writes behind a pointer in its argument. */
/* torture: listed=W028 */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
static unsigned char room[1 << 16];
int main(void) {
  struct ethtool_gstrings *names = (struct ethtool_gstrings *)room;
  *names = (struct ethtool_gstrings){ETHTOOL_GSTRINGS, ETH_SS_FEATURES, 0};
  struct ifreq request = {.ifr_name = "lo", .ifr_data = (char *)names};
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  int result = ioctl(fd, SIOCETHTOOL, &request);
  printf("%d %u %.32s\n", result, names->len, names->data);
}
