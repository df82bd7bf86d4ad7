/* SPDX-License-Identifier: MIT */
/* Calendar: mktime, strftime, localtime in several zones, leap days, strptime. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void) {
  const char *zones[] = {"UTC", "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "<+0545>-5:45"};
  for (int z = 0; z < 4; z++) {
    setenv("TZ", zones[z], 1);
    tzset();
    for (time_t t = 951782400 - 86400; t < 951782400 + 40000000; t += 7654321) {
      struct tm *l = localtime(&t);
      char text[100];
      strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %j %a %V %Z", l);
      printf("%s %d\n", text, mktime(l) == t);
    }
  }
  struct tm parsed = {0};
  strptime("29 Feb 2024 23:59:59", "%d %b %Y %H:%M:%S", &parsed);
  printf("%d %d %ld\n", parsed.tm_yday, parsed.tm_wday, (long)timegm(&parsed));
}
