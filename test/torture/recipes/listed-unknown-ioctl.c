/* SPDX-License-Identifier: MIT */
/* An ioctl that the recorder knows nothing of: what it writes behind a pointer in its argument is recorded all the same. */
/* torture: listed=W028 */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
int main(void) {
  struct ethtool_drvinfo driver;
  memset(&driver, 0, sizeof driver);
  driver.cmd = ETHTOOL_GDRVINFO;
  struct ifreq request = {.ifr_name = "lo", .ifr_data = (char *)&driver};
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  int result = ioctl(fd, SIOCETHTOOL, &request);
  printf("%d\n", result < 0);
  for (unsigned i = 0; i < sizeof driver; i++) fputc(((char *)&driver)[i] != 0 ? 'x' : '.', stdout);
  puts("");
}
