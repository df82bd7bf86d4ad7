// SPDX-License-Identifier: MIT
#include "report/why_lines.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(DoesSomething, IsFalseOfBracesHeadsAndDeclarations) {
  for (const char* line : {"{",
                           "}",
                           "};",
                           "} else {",
                           "else",
                           "do {",
                           "try {",
                           "});",
                           "int n;",
                           "char line[128];",
                           "const char *p, *q;",
                           "unsigned long i;",
                           "std::vector<int> all;",
                           "struct item {",
                           "class Shop {",
                           "enum kind { kOne, kTwo",
                           "static int twice(int n) {",
                           "double price(const std::string &name) const {",
                           "Shop::~Shop() {",
                           "namespace a {",
                           "template <typename T>",
                           "int main(int argc, char **argv)"})
    EXPECT_EQ(does_something(line), std::string_view(line).starts_with("Shop::~")) << line;
}

TEST(DoesSomething, IsTrueOfStatements) {
  for (const char* line : {"n++;",
                           "return;",
                           "break;",
                           "x = 1;",
                           "int n = 0;",
                           "twice(n);",
                           "if (a) {",
                           "while (b)",
                           "for (int i = 0; i < n; i++) {",
                           "} while (--n);",
                           "else if (c)",
                           "else n = 2;",
                           "case 3:",
                           "delete p;",
                           "throw std::out_of_range(name);",
                           "std::cout << n;",
                           "goto end;",
                           "} else if (d) {",
                           "static int twice(int n) { return 2 * n; }",
                           "*p = 0;",
                           "p->next->n--;",
                           "call(a,",
                           "b);",
                           "i < n && c",
                           "struct config c = {0};",
                           "x;"})
    EXPECT_TRUE(does_something(line)) << line;
}

TEST(WhyLine, HasWhatDiffersBehindWhatItIs) {
  const WhyLine line{.run = "B",
                     .place = "a.c:3",
                     .text = "n = twice(m);",
                     .name = "m",
                     .value_a = "1",
                     .value_b = "NULL",
                     .remark = "only B executes it"};
  EXPECT_EQ(line.what(), "B  a.c:3  n = twice(m);");
  EXPECT_EQ(line.whole(), "B  a.c:3  n = twice(m);  m = 1 | NULL  (only B executes it)");
}

}  // namespace
}  // namespace twinrun
