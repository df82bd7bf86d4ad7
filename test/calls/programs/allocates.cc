// SPDX-License-Identifier: MIT
// Allocates in every way there is, and tells what it got.
#include <malloc.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

struct alignas(64) Wide {
  char room[192];
};
static void got(const void* p, size_t size) { std::printf("a %016lx %016zx\n", (uintptr_t)p, size); }
static void gone(const void* p) { std::printf("f %016lx %016x\n", (uintptr_t)p, 0); }
__attribute__((noinline)) static void* by_tail_call(size_t size) { return std::malloc(size); }

// An allocator of the program's own.
static char pool[1 << 16];
static size_t used;
extern "C" __attribute__((noinline)) void* pool_get(void* from, size_t size) {
  void* out = static_cast<char*>(from) + used;
  used += (size + 15) / 16 * 16;
  return out;
}
extern "C" __attribute__((noinline)) void pool_put(void* from, void* p) {
  if (p < from) std::abort();
}

int main(int argc, char**) {
  static char buffer[1 << 16];
  std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);  // printf allocates nothing
  uint32_t seed = 1;
  void* held[64] = {};
  for (int i = 0; i < 300; ++i) {
    seed = seed * 1664525 + 1013904223;
    void*& p = held[seed >> 8 & 63];
    const size_t size = (seed >> 16 & 1023) + 1;
    if (p != nullptr && (seed >> 28 & 1) != 0) {
      void* const old = p;
      p = (seed >> 29 & 1) != 0 ? std::realloc(p, size) : reallocarray(p, size, 3);
      gone(old);
      got(p, (seed >> 29 & 1) != 0 ? size : size * 3);
    } else if (p != nullptr) {
      gone(p);
      std::free(p);
      p = nullptr;
    } else {
      switch (seed >> 28 & 7) {
        case 0: got(p = std::malloc(size), size); break;
        case 1: got(p = std::calloc(3, size), 3 * size); break;
        case 2: got(p = aligned_alloc(64, size * 64), size * 64); break;
        case 3: got(p = memalign(32, size), size); break;
        case 4:
          if (posix_memalign(&p, 256, size) == 0) got(p, size);
          break;
        case 5: got(p = by_tail_call(size), size); break;
        case 6: got(p = valloc(size), size); break;
        default: got(p = std::realloc(nullptr, size), size); break;
      }
    }
  }
  for (int i = 0; i < 10; ++i) {
    int* const one = new int(i);
    got(one, 4);
    auto* const many = new (std::nothrow) double[static_cast<size_t>(argc + i)];
    got(many, 8 * static_cast<size_t>(argc + i));
    Wide* const wide = new Wide;
    got(wide, sizeof(Wide));
    Wide* const array = new Wide[2];
    got(array, 2 * sizeof(Wide));
    gone(one);
    delete one;
    gone(many);
    delete[] many;
    gone(wide);
    delete wide;
    gone(array);
    delete[] array;
  }
  void* const mine = pool_get(pool, 100);
  got(mine, 100);
  got(pool_get(pool, 50), 50);
  gone(mine);
  pool_put(pool, mine);
  // Too large: nothing is allocated.
  try {
    void* volatile p = ::operator new(SIZE_MAX / 4);
    got(p, 1);
  } catch (const std::bad_alloc&) {
  }
  return 0;
}
