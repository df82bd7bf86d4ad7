# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# An exception that nobody catches: which, where, and for what input.
needs_recorder
cat >parse.cc <<'C'
#include <cstdio>
#include <map>
#include <string>
static int price(const std::map<std::string, int> &prices, const std::string &what) {
  return prices.at(what);
}
int main(int argc, char **argv) {
  const std::map<std::string, int> prices{{"apple", 3}, {"pear", 5}};
  std::printf("%d\n", price(prices, argv[1]));
}
C
c++ -g -O0 -o parse parse.cc
status 1 twinrun why './parse pear' './parse peer' >out 2>log
begins out "SIGABRT at parse.cc:5" 'argv[1] is "pear" in A, "peer" in B' "std::out_of_range"
