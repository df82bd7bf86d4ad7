# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A total in C++ that is wrong for one order.
needs_recorder
cat >order.cc <<'C'
#include <fstream>
#include <iostream>
#include <string>
#include <vector>
struct Item {
  std::string name;
  int count = 0;
  int price = 0;
};
static int discount(const Item &item) {
  if (item.count > 10) return item.price;
  return 0;
}
static int total(const std::vector<Item> &items) {
  int sum = 0;
  for (const Item &item : items) sum += item.count * (item.price - discount(item));
  return sum;
}
int main(int argc, char **argv) {
  std::ifstream in(argv[1]);
  std::vector<Item> items;
  for (Item item; in >> item.name >> item.count >> item.price;) items.push_back(item);
  std::cout << "total " << total(items) << "\n";
}
C
printf 'nut 4 10\nbolt 10 3\n' >good.txt
printf 'nut 4 10\nbolt 12 3\n' >bad.txt
for level in -O0 -O2; do
  c++ -g "$level" -o order order.cc
  status 1 twinrun why './order good.txt' './order bad.txt' >out 2>log
  begins out "order.cc:11" "bad.txt, line 2, column 7"
done
