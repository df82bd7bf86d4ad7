/* SPDX-License-Identifier: MIT */
/* Computed goto, a jump table, pointers to members, virtual bases, callbacks through qsort and bsearch. */
/* torture: flags=-O0 */
/* torture: flags=-O2 */
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
struct Base { virtual int get(int) = 0; virtual ~Base() = default; };
struct Left : virtual Base { int get(int x) override { return x * 3; } };
struct Right : virtual Base { int more = 5; };
struct Both : Left, Right { int get(int x) override { return Left::get(x) + more; } };
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int interpret(const char *code) {
  static void *const next[] = {&&add, &&twice, &&minus, &&end};
  int sum = 1;
  goto *next[*code - 'a'];
add: sum += 7; goto *next[*++code - 'a'];
twice: sum *= 2; goto *next[*++code - 'a'];
minus: sum -= 3; goto *next[*++code - 'a'];
end: return sum;
}
int main() {
  Both both;
  Base *base = &both;
  int (Base::*member)(int) = &Base::get;
  int Right::*field = &Right::more;
  both.*field = 11;
  std::printf("%d %d\n", (base->*member)(4), dynamic_cast<Right *>(base) != nullptr);
  std::string code;
  for (int i = 0; i < 60; i++) code += "abc"[i * i % 3];
  std::printf("%d\n", interpret((code + "d").c_str()));
  int v[100];
  for (int i = 0; i < 100; i++) v[i] = i * 37 % 101;
  std::qsort(v, 100, sizeof *v, compare);
  int key = 55;
  std::printf("%ld\n", static_cast<long>(static_cast<int *>(std::bsearch(&key, v, 100, sizeof *v, compare)) - v));
  std::map<std::string, std::function<int(int)>> calls{{"a", [&](int x) { return x + key; }}, {"b", [](int x) { return x * x; }}};
  for (auto &[name, call] : calls) std::printf("%s %d\n", name.c_str(), call(9));
}
