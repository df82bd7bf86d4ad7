/* SPDX-License-Identifier: MIT */
/* Streams: buffering, ungetc, fmemopen, open_memstream, popen, tmpfile, getline, scanf. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *made = NULL, *line = NULL;
  size_t size = 0, room = 0;
  FILE *m = open_memstream(&made, &size);
  for (int i = 0; i < 30; i++) fprintf(m, "%d,%a;", i, i / 7.0);
  fclose(m);
  printf("%zu %.40s\n", size, made);
  FILE *in = fmemopen(made, size, "r");
  int a;
  double b, sum = 0;
  while (fscanf(in, "%d,%la;", &a, &b) == 2) sum += a * b;
  printf("%.17g\n", sum);
  fclose(in);
  FILE *t = tmpfile();
  setvbuf(t, NULL, _IOLBF, 64);
  for (int i = 0; i < 100; i++) fprintf(t, "row %*d\n", i % 9, i);
  rewind(t);
  ungetc('X', t);
  long n = 0;
  while (getline(&line, &room, t) > 0) n += (long)strlen(line);
  printf("%ld %s", n, line);
  FILE *p = popen("echo from a shell; exit 3", "r");
  if (getline(&line, &room, p) > 0) printf("%s", line);
  printf("%d\n", pclose(p) >> 8);
}
