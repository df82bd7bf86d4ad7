// SPDX-License-Identifier: MIT
// Ends well, or does one of the things that no program may do to memory, or does not end well.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct holder {
  char* text;
  int size;
};
static struct holder kept;
static char* words[3];

static char* make(int size) { return malloc(size); }
static void drop(char* text) { free(text); }
static void hold(struct holder* to, char* text, int size) {
  to->text = text;
  to->size = size;
}
static char* find(const char* name) { return strcmp(name, "null") ? words[0] : NULL; }
static void fill(char* to, int size) {
  for (int i = 0; i < size; i++) to[i] = 'a' + i % 26;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "ok";
  int size = strcmp(how, "beyond") ? 16 : 24;
  words[0] = make(16);
  hold(&kept, words[0], size);
  fill(words[0], size);
  if (!strcmp(how, "freed") || !strcmp(how, "reused") || !strcmp(how, "twice")) drop(words[0]);
  if (!strcmp(how, "reused")) memset(make(16), 'z', 16);
  if (!strcmp(how, "unset")) kept.text = make(16);
  if (!strcmp(how, "hang"))
    for (;;) pause();
  if (!strcmp(how, "abort")) abort();
  char* found = find(how);
  hold(&kept, strcmp(how, "unset") ? found : kept.text, 16);
  putchar(kept.text[3] == 'd' ? 'd' : '?');
  if (strcmp(how, "freed") && strcmp(how, "reused")) drop(words[0]);
  putchar('\n');
  return 0;
}
