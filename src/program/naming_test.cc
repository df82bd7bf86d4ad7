// SPDX-License-Identifier: MIT
#include "program/naming.h"

#include "program/stopped_program.h"
#include "program/value_format.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

constexpr const char* kProgram = R"(
#include <stdlib.h>
#include <string.h>
struct header { char title[32]; int ncols; unsigned flags : 3, kind : 9; };
struct node { struct node* next; int key; union { int i; float f; }; struct header* head; };
struct table { int used; struct node rows[3]; } g;
struct opaque;
static long counters[2][3] = {{1, 2, 3}, {4, 5, 6}};
_Thread_local int per_thread = 11;
enum color { kRed, kBlue = 3 };
int pick(struct header* h, int* p, char* line, int shadow) {
  enum color color = kBlue;
  double ratio = 0.1;
  int i = 1;
  struct node* first = &g.rows[0];
  int** pp = &p;
  int vla[h->ncols];
  vla[2] = 77;
  {
    int shadow = 5;
    asm volatile("int3" :: "r"(shadow), "r"(vla) : "memory");
  }
  return vla[2] + i + shadow + **pp + (int)ratio + color + first->key + counters[1][1];
}
int main(void) {
  struct header* h = calloc(1, sizeof *h);
  char line[40] = "abcdefghijklmnopqrstuvwxyz0123456789";
  int number = 42;
  strcpy(h->title, "prices");
  h->ncols = 4;
  h->flags = 5;
  h->kind = 300;
  g.used = 2;
  g.rows[0].next = malloc(sizeof(struct node));
  g.rows[0].next->key = 9;
  g.rows[0].next->next = &g.rows[2];
  g.rows[2].key = 8;
  g.rows[2].head = h;
  return pick(h, &number, line, 6);
}
)";

class Naming : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(dir_.compile("p", kProgram, GetParam()));
    auto opened = DebugInfo::open_file(dir_ / "p");
    ASSERT_TRUE(opened.has_value());
    info_.emplace(std::move(*opened));
    program_.emplace(dir_ / "p");
    pc_ = program_->pc();
    ASSERT_FALSE(info_->frames_at(pc_).empty());
    ASSERT_EQ(info_->frames_at(pc_)[0].function, "pick");
  }
  std::string value(const std::string& text) {
    const auto object = resolve_expression(*info_, pc_, *program_, text);
    return object ? format_named(*object, *program_) : object.error().message;
  }
  std::string type(const std::string& text) {
    const auto object = resolve_expression(*info_, pc_, *program_, text);
    return object ? type_name(*object->type) : object.error().message;
  }
  // The name that the memory of an expression gets.
  std::string renamed(const std::string& text, uint64_t offset = 0, uint64_t size = 0) {
    const auto object = resolve_expression(*info_, pc_, *program_, text);
    if (!object || object->location.kind != Location::Kind::kMemory) return "<not in memory>";
    if (size == 0) size = size_of(*object->type).value_or(1);
    return name_memory(*info_, pc_, *program_, object->location.address + offset, size)
        .value_or("<none>");
  }

  TestDirectory dir_;
  std::optional<DebugInfo> info_;
  std::optional<StoppedProgram> program_;
  uint64_t pc_ = 0;
};

TEST_P(Naming, ExpressionsHaveTheirValues) {
  EXPECT_EQ(value("h->ncols"), "4");
  EXPECT_EQ(value("h->title"), "\"prices\"");
  EXPECT_EQ(value("h->title[1]"), "114 'r'");
  EXPECT_EQ(value("(*h).ncols"), "4");
  EXPECT_EQ(value("h->flags"), "5");
  EXPECT_EQ(value("h->kind"), "300");
  EXPECT_EQ(value("*p"), "42");
  EXPECT_EQ(value("**pp"), "42");
  EXPECT_EQ(value("line[31]"), "53 '5'");
  EXPECT_EQ(value("line[i]"), "98 'b'");
  EXPECT_EQ(value("color"), "kBlue");
  EXPECT_EQ(value("ratio"), "0.1");
  EXPECT_EQ(value("shadow"), "5");
  EXPECT_EQ(value("counters[1][2]"), "6");
  EXPECT_EQ(value("counters"), "{{1, 2, 3}, {4, 5, 6}}");
  EXPECT_EQ(value("g.rows[2].key"), "8");
  EXPECT_EQ(value("g.rows[0].next->next->head->ncols"), "4");
  EXPECT_EQ(value("vla[2]"), "77");
  EXPECT_EQ(value(" first -> next -> key "), "9");
  EXPECT_EQ(type("first->next"), "struct node *");
  EXPECT_EQ(type("counters[0]"), "long [3]");
  EXPECT_EQ(value("per_thread"), "<where its thread keeps it is not known>");
}

TEST_P(Naming, MemoryGetsTheNameThatTheSourceWouldUse) {
  EXPECT_EQ(renamed("h->ncols"), "h->ncols");
  EXPECT_EQ(renamed("h->title[31]"), "h->title[31]");
  EXPECT_EQ(renamed("h->title"), "h->title");
  EXPECT_EQ(renamed("*p"), "*p");
  EXPECT_EQ(renamed("g.rows[2].key"), "g.rows[2].key");
  EXPECT_EQ(renamed("g.rows[0].key"), "g.rows[0].key");
  EXPECT_EQ(renamed("g.rows[1]"), "g.rows[1]");
  EXPECT_EQ(renamed("counters[1][2]"), "counters[1][2]");
  EXPECT_EQ(renamed("counters[1][2]", 4, 2), "counters[1][2]");
  EXPECT_EQ(renamed("first->next->key"), "g.rows[0].next->key");
  EXPECT_EQ(renamed("first->next->next->head->ncols"), "h->ncols");
  EXPECT_EQ(renamed("line[31]"), "line[31]");
  EXPECT_EQ(renamed("line[0]"), "*line");
}

TEST_P(Naming, WhatHasNoOneNameHasNone) {
  EXPECT_EQ(renamed("g.rows[1].i"), "<none>");          // or .f
  EXPECT_EQ(renamed("g.rows[1].key", 2, 4), "<none>");  // across members
  EXPECT_EQ(renamed("h->ncols", 4, 2), "<none>");       // two bit-fields
  EXPECT_FALSE(name_memory(*info_, pc_, *program_, 0x10, 4).has_value());
  EXPECT_FALSE(name_memory(*info_, pc_, *program_, ~uint64_t{0}, 8).has_value());
}

TEST_P(Naming, MistakesInExpressionsAreExplained) {
  const auto message = [&](const std::string& text) {
    const auto object = resolve_expression(*info_, pc_, *program_, text);
    EXPECT_FALSE(object.has_value()) << text;
    if (!object) {
      EXPECT_EQ(object.error().code, "P003");
    }
    return object ? "" : object.error().message;
  };
  EXPECT_EQ(message("nothing"),
            "cannot evaluate \"nothing\" at character 8: there is no nothing here");
  EXPECT_NE(message("h->none").find("struct header has no member none"), std::string::npos);
  EXPECT_NE(message("i->x").find("int is no pointer"), std::string::npos);
  EXPECT_NE(message("h.ncols").find("has no members"), std::string::npos);
  for (const char* text : {"", "*", "h->", "h[", "h[1", "(h", "h)", "1", "h->ncols +",
                           "line[ratio]", "line[99999999999999999999]", "h->kind[1]"})
    (void)message(text);
  (void)message(std::string(10000, '*') + "p");
  (void)message(std::string(10000, '(') + "p");
}

TEST_P(Naming, InnerScopesComeFirst) {
  const auto variables = info_->variables_at(pc_);
  size_t shadows = 0;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (i > 0) {
      EXPECT_GE(variables[i].depth, variables[i - 1].depth);
    }
    shadows += variables[i].name == "shadow" ? 1 : 0;
  }
  EXPECT_EQ(shadows, 2u);
  const auto g = info_->find_global("g");
  ASSERT_TRUE(g.has_value());
  EXPECT_EQ(g->kind, Variable::Kind::kGlobal);
  EXPECT_FALSE(info_->find_global("line").has_value());
}

INSTANTIATE_TEST_SUITE_P(Builds, Naming,
                         testing::Values("gcc -g -gdwarf-4 -O0", "gcc -g -gdwarf-5 -O0",
                                         "gcc -g -gdwarf-5 -O0 -gsplit-dwarf",
                                         "clang-19 -g -gdwarf-5 -O0",
                                         "clang-19 -g -gdwarf-4 -O0 -gsplit-dwarf"));

TEST(Variables, OfAnOptimizedCalleeComeFromItsCaller) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", R"(
    __attribute__((noipa)) int stop(int given) {
      asm volatile("xor %%edi, %%edi" ::: "rdi", "memory");
      asm volatile("int3" ::: "memory");
      return 1;
    }
    __attribute__((noipa)) int caller(int x) { int kept = x * 3; return stop(kept) + kept; }
    int main(int argc, char** argv) { return caller(argc + 4); }
  )",
                          "gcc -g -O2"));
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value());
  const StoppedProgram program(dir / "p");
  const auto given = resolve_expression(*info, program.pc(), program, "given");
  ASSERT_TRUE(given.has_value()) << given.error().message;
  EXPECT_EQ(format_named(*given, program), "15");
}

TEST(Variables, OfAFunctionThatCallsItselfByATailCallStayUnknown) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", R"(
    __attribute__((noipa)) int other(int given);
    __attribute__((noipa)) int stop(int given) {
      if (given < 20) return other(given + 1);
      asm volatile("xor %%edi, %%edi" ::: "rdi", "memory");
      asm volatile("int3" ::: "memory");
      return 1;
    }
    __attribute__((noipa)) int other(int given) { return stop(given + 2); }
    __attribute__((noipa)) int caller(int x) { int kept = x * 3; return stop(kept) + kept; }
    int main(int argc, char** argv) { return caller(argc + 4); }
  )",
                          "gcc -g -O2"));
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value());
  const StoppedProgram program(dir / "p");
  const auto given = resolve_expression(*info, program.pc(), program, "given");
  ASSERT_TRUE(given.has_value()) << given.error().message;
  EXPECT_EQ(format_named(*given, program),
            "<only its value at the entry of the function is known>");
}

TEST(Variables, OfAnInlinedCopyHideOthers) {
  for (const std::string compiler : {"gcc", "clang-19"}) {
    const TestDirectory dir;
    ASSERT_TRUE(dir.compile("p", R"(
      volatile int number = 8;
      static inline __attribute__((always_inline)) int inner(int type, int unused) {
        static volatile int calls = 4; ++calls;
        asm volatile("int3" ::: "memory", "rax", "rdx", "rcx", "rsi");
        return type;
      }
      __attribute__((noipa)) int outer(int x, int unused) {
        int result = inner(x, number);
        asm volatile("" :: "r"(unused));
        return result;
      }
      int main(int argc, char** argv) { return outer(argc, 33); }
    )",
                            compiler + " -g -O2"));
    auto info = DebugInfo::open_file(dir / "p");
    ASSERT_TRUE(info.has_value());
    const StoppedProgram program(dir / "p");
    const auto variables = info->variables_at(program.pc());
    const auto first = std::find_if(variables.begin(), variables.end(),
                                    [](const Variable& v) { return v.name == "unused"; });
    ASSERT_NE(first, variables.end());
    EXPECT_EQ(first->frame, 0u) << compiler;
    const auto object = resolve_expression(*info, program.pc(), program, "unused");
    ASSERT_TRUE(object.has_value());
    EXPECT_NE(format_named(*object, program), "33") << compiler;
    // clang 19 puts static variables of inlined functions where nothing refers to them.
    if (compiler == "clang-19") continue;
    const auto calls = resolve_expression(*info, program.pc(), program, "calls");
    ASSERT_TRUE(calls.has_value()) << calls.error().message;
    EXPECT_EQ(format_named(*calls, program), "5");
  }
}

TEST(Variables, ReferencesBasesAndMembersOfClasses) {
  const TestDirectory dir;
  ASSERT_TRUE(dir.compile("p", R"(
    namespace n { struct Base { int b = 1; }; struct Left : Base { int l = 2; };
    class Both : public Left { public: int own = 3; static int shared; int& ref; Both(int& r) : ref(r) {} };
    int Both::shared = 4; int inside = 5; }
    int main() { int target = 6; n::Both both(target); n::Both& alias = both;
      asm volatile("int3" ::: "memory"); return alias.own; }
  )",
                          "g++ -g -O0"));
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value());
  const StoppedProgram program(dir / "p");
  const auto value = [&](const char* text) {
    const auto object = resolve_expression(*info, program.pc(), program, text);
    return object ? format_named(*object, program) : object.error().message;
  };
  EXPECT_EQ(value("both.b"), "1");
  EXPECT_EQ(value("alias.l"), "2");
  EXPECT_EQ(value("alias.own"), "3");
  EXPECT_EQ(value("alias.ref"), "6");
  EXPECT_EQ(value("inside"), "5");
  EXPECT_EQ(value("shared"), "4");
  const auto object = resolve_expression(*info, program.pc(), program, "alias.b");
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(name_memory(*info, program.pc(), program, object->location.address, 4), "both.b");
}

TEST(Variables, TypesDeclaredElsewhereAreCompleted) {
  const TestDirectory dir;
  dir.write("other.c",
            "struct opaque { int a; int b; } value = {1, 2}; "
            "struct opaque* make(void) { return &value; }");
  ASSERT_TRUE(dir.compile("p", R"(
    struct opaque; struct opaque* make(void);
    int main(void) { struct opaque* o = make(); asm volatile("int3" ::: "memory"); return o == 0; }
  )",
                          "gcc -g -O0 other.c"));
  auto info = DebugInfo::open_file(dir / "p");
  ASSERT_TRUE(info.has_value());
  const StoppedProgram program(dir / "p");
  const auto object = resolve_expression(*info, program.pc(), program, "o->b");
  ASSERT_TRUE(object.has_value()) << object.error().message;
  EXPECT_EQ(format_named(*object, program), "2");
  EXPECT_EQ(name_memory(*info, program.pc(), program, object->location.address, 4), "o->b");
  const auto global = resolve_expression(*info, program.pc(), program, "value.a");
  ASSERT_TRUE(global.has_value());
  EXPECT_EQ(format_named(*global, program), "1");
}

}  // namespace
}  // namespace twinrun
