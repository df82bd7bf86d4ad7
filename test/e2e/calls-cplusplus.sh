# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Classes that are passed by address, members, templates and exceptions, with and without optimization.
needs_recorder
cat >prog.cc <<'C'
#include <cstdio>
#include <string>
#define KEEP __attribute__((noinline))
struct Copied {
  int v;
  explicit Copied(int a) : v(a) {}
  Copied(const Copied& o) : v(o.v + 1) {}
  ~Copied() {}
};
struct Holder { Copied inner; int k; };
struct Plain { int a, b; };
KEEP int take(Copied c, int k) { return c.v + k; }
KEEP Copied give(int k) { return Copied(k); }
KEEP int hold(Holder h) { return h.inner.v + h.k; }
KEEP int plain(Plain p) { return p.a - p.b; }
struct Counter {
  int n = 5;
  KEEP int add(int v) { return n += v; }
};
namespace ns {
template <typename T> KEEP T twice(T t) { return t + t; }
}
KEEP void thrower(int k) { if (k > 1) throw k; }
int main(int argc, char**) {
  Counter counter;
  int r = take(Copied(argc), 2) + give(9).v + hold({Copied(4), 3}) + plain({8, 5}) + counter.add(6);
  r += ns::twice(20 + argc) + static_cast<int>(ns::twice(1.5));
  try {
    thrower(argc);
    thrower(argc + 1);
  } catch (int k) {
    r += k;
  }
  std::printf("%d\n", r);
  return 0;
}
C
for build in "g++ -O0" "g++ -O2" "clang++-19 -O0"; do
  command -v "${build% *}" >/dev/null || continue
  $build -g -o prog prog.cc
  twinrun record -q --force -o run -- ./prog >/dev/null
  twinrun calls --function main --fold 0 --limit 0 run >out
  has out "take(c = {v = 1}, k = 2) = 3" "give(k = 9) = {v = 9}" "k = 3}) = 7" "plain(p = {a = 8, b = 5}) = 3" \
    "Counter::add(this = 0x" "v = 6) = 11" "ns::twice<int>(t = 21) = 42" "ns::twice<double>(t = 1.5) = 3" \
    "thrower(k = 2)  (unwound)"
done
