/* SPDX-License-Identifier: MIT */
/* The string functions of the C library at all alignments and lengths, against plain loops. */
/* torture: flags=-O0 */
/* torture: flags=-O2 */
#include <stdio.h>
#include <string.h>
#include <wchar.h>
static unsigned hash = 1;
static void mix(long x) { hash = hash * 31 + (unsigned)x; }
int main(void) {
  static char a[600], b[600];
  for (int at = 0; at < 70; at += 3)
    for (int n = 0; n < 300; n += 7) {
      for (int i = 0; i < 600; i++) a[i] = (char)(1 + i % 90), b[i] = (char)(1 + i % 90);
      a[at + n] = 0;
      mix((long)strlen(a + at));
      memmove(b + at, b + at + 5, (size_t)n);
      mix(memcmp(a, b, 300) < 0 ? -1 : memcmp(a, b, 300) > 0);
      mix((long)((char *)memchr(b, 80, 600) - b));
      memset(b + at, 'x', (size_t)n);
      strncpy(b + 300, a + at, 200);
      mix((long)strspn(b + at, "x"));
      mix((long)strcspn(b, "x"));
      char *found = strstr(b, "xxxx");
      mix(found ? found - b : -1);
      mix(strcmp(a + at, b + at) < 0);
      mix((long)(strrchr(a + at, 40) ? strrchr(a + at, 40) - a : -1));
      for (int i = 0; i < 600; i += 11) mix(b[i]);
    }
  wchar_t w[100];
  swprintf(w, 100, L"%d %ls", 12, L"wide");
  mix((long)wcslen(w));
  printf("%u\n", hash);
}
