// SPDX-License-Identifier: MIT
// Runs the C libraries of Debian's libstb-dev on small inputs, so that their code (20 000 lines of
// ordinary C) can be symbolized and stopped in. Also types that those do not have.
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STB_SPRINTF_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#define STB_PERLIN_IMPLEMENTATION
#define STB_RECT_PACK_IMPLEMENTATION
#define STB_C_LEXER_IMPLEMENTATION
#define STB_DXT_IMPLEMENTATION
#define STB_HEXWAVE_IMPLEMENTATION
#define STB_DIVIDE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
#include <stb/stb_image_resize.h>
#include <stb/stb_sprintf.h>
#include <stb/stb_ds.h>
#include <stb/stb_perlin.h>
#include <stb/stb_rect_pack.h>
#include <stb/stb_c_lexer.h>
#include <stb/stb_dxt.h>
#include <stb/stb_hexwave.h>
#include <stb/stb_divide.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum color { kRed, kGreen = 5, kBlue };
enum mask { kNone = 0, kRead = 1, kWrite = 2, kRun = 4 };

struct point {
  short x, y;
};

struct node {
  int key;
  unsigned low : 3, middle : 7, high : 20;
  enum color color;
  double weight;
  char name[16];
  struct point corners[2];
  union {
    int as_int;
    float as_float;
  };
  struct node* next;
  int (*compare)(const void*, const void*);
};

static int compare_keys(const void* a, const void* b) {
  const struct node* left = *(const struct node* const*)a;
  const struct node* right = *(const struct node* const*)b;
  return (left->key > right->key) - (left->key < right->key);
}

static struct node* head;
static long counters[4][3];
const char* const words[] = {"zero", "one", "two"};
_Thread_local int per_thread = 7;

static struct node* add_node(int key, const char* name, enum color color) {
  struct node* made = calloc(1, sizeof *made);
  made->key = key;
  made->low = key & 7;
  made->middle = key & 127;
  made->high = key * 1000u;
  made->color = color;
  made->weight = key / 7.0;
  snprintf(made->name, sizeof made->name, "%s-%d", name, key);
  made->corners[1].x = (short)-key;
  made->as_float = 1.5f;
  made->next = head;
  made->compare = compare_keys;
  head = made;
  return made;
}

static unsigned long sum_nodes(bool weighted) {
  unsigned long sum = 0;
  float factor = 0.25f;
  for (struct node* at = head; at != NULL; at = at->next) {
    unsigned char letter = (unsigned char)at->name[0];
    int scaled = weighted ? (int)(at->weight * factor) : at->key;
    sum += (unsigned long)scaled + letter;
    counters[at->key & 3][at->key % 3] += scaled;
  }
  return sum;
}

static void sort_nodes(size_t count) {
  struct node* all[count];
  size_t used = 0;
  for (struct node* at = head; at != NULL && used < count; at = at->next) all[used++] = at;
  qsort(all, used, sizeof all[0], head->compare);
  head = NULL;
  for (size_t i = used; i-- > 0;) {
    all[i]->next = head;
    head = all[i];
  }
}

static void lists(void) {
  enum mask mask = kRead | kRun;
  for (int i = 0; i < 12; ++i)
    add_node(i * 37 % 23, words[i % 3], i % 2 ? kGreen : kBlue);
  sort_nodes(12);
  printf("%lu %lu %d\n", sum_nodes(false), sum_nodes(true), mask);
}

static void collect(void* context, void* data, int size) {
  unsigned char** out = context;
  for (int i = 0; i < size; ++i) arrput(*out, ((unsigned char*)data)[i]);
}

static void images(void) {
  enum { kWide = 24, kHigh = 20 };
  unsigned char pixels[kHigh][kWide][3];
  for (int y = 0; y < kHigh; ++y)
    for (int x = 0; x < kWide; ++x)
      for (int c = 0; c < 3; ++c)
        pixels[y][x][c] =
            (unsigned char)(128 + 100 * stb_perlin_noise3(x / 7.f, y / 5.f, c / 3.f, 0, 0, 0));
  unsigned char small[10 * 9 * 3];
  stbir_resize_uint8(&pixels[0][0][0], kWide, kHigh, 0, small, 10, 9, 0, 3);
  for (int kind = 0; kind < 4; ++kind) {
    unsigned char* file = NULL;
    int ok = 0;
    if (kind == 0) ok = stbi_write_png_to_func(collect, &file, kWide, kHigh, 3, pixels, kWide * 3);
    if (kind == 1) ok = stbi_write_bmp_to_func(collect, &file, kWide, kHigh, 3, pixels);
    if (kind == 2) ok = stbi_write_tga_to_func(collect, &file, kWide, kHigh, 3, pixels);
    if (kind == 3) ok = stbi_write_jpg_to_func(collect, &file, kWide, kHigh, 3, pixels, 80);
    int width = 0, height = 0, channels = 0;
    stbi_uc* back = stbi_load_from_memory(file, (int)arrlen(file), &width, &height, &channels, 0);
    printf("%d %d: %dx%d %d bytes\n", kind, ok, width, height, (int)arrlen(file));
    stbi_image_free(back);
    arrfree(file);
  }
  unsigned char block[64], packed[8];
  memcpy(block, pixels, sizeof block);
  stb_compress_dxt_block(packed, block, 0, STB_DXT_HIGHQUAL);
  printf("%d\n", packed[3]);
}

static void texts(void) {
  char buffer[200];
  stbsp_snprintf(buffer, sizeof buffer, "%d %x %g %s %08.3f %lld", 42, 255, 3.25, "text", -2.5,
                 1ll << 40);
  puts(buffer);
  struct { char* key; int value; }* map = NULL;
  shdefault(map, -1);
  for (int i = 0; i < 20; ++i) {
    char key[16];
    snprintf(key, sizeof key, "key%d", i);
    sh_new_arena(map);
    shput(map, key, i);
    shfree(map);
    map = NULL;
  }
  stb_lexer lexer;
  char store[256];
  const char* source = "int main(void) { return 0x1f + 3.5e1 - 'c' * f(\"s\\n\"); } // end";
  stb_c_lexer_init(&lexer, source, source + strlen(source), store, sizeof store);
  long tokens = 0;
  while (stb_c_lexer_get_token(&lexer) && lexer.token != CLEX_parse_error) tokens += lexer.token;
  printf("%ld %d\n", tokens, stb_div_floor(-7, 2));
}

static void rectangles(void) {
  stbrp_context context;
  stbrp_node nodes[64];
  stbrp_rect rects[10];
  for (int i = 0; i < 10; ++i) {
    rects[i].id = i;
    rects[i].w = 5 + i * 3 % 7;
    rects[i].h = 4 + i * 5 % 9;
  }
  stbrp_init_target(&context, 40, 40, nodes, 64);
  int all = stbrp_pack_rects(&context, rects, 10);
  HexWave wave;
  float samples[16];
  hexwave_init(16, 8, NULL);
  hexwave_create(&wave, 1, 0, 0, 0);
  hexwave_generate_samples(samples, 16, &wave, 0.03f);
  printf("%d %g\n", all, samples[5]);
}

int main(int argc, char** argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    per_thread += round;
    lists();
    images();
    texts();
    rectangles();
  }
  return per_thread == 0;
}
