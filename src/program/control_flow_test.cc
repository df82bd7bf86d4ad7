// SPDX-License-Identifier: MIT
// Control flow of hand-made code; test/cfg compares that of compiled programs with executions.
#include "program/control_flow.h"

#include "base/files.h"
#include "program/dominators.h"
#include "program/module_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

extern "C" __attribute__((noinline)) int control_flow_test_catches(void (*callee)(int), int x) {
  try {
    callee(x);
  } catch (const std::runtime_error&) {
    return 1;
  }
  return 0;
}

namespace twinrun {
namespace {

constexpr uint64_t kBase = 0x1000;

// Code at kBase; functions begin at `starts`.
struct Sample {
  CodeImage image;
  ControlFlow flow;
};
Sample sample(Bytes code, const std::vector<uint64_t>& starts,
              const std::vector<ObservedEdge>& observed = {}) {
  Sample out;
  out.image.add({kBase, std::move(code), true, false});
  std::vector<uint64_t> called = starts;
  for (uint64_t& start : called) start += kBase;
  out.flow = ControlFlow::build(out.image, FunctionTable::make(out.image, nullptr, {}, called), {},
                                observed);
  return out;
}

std::vector<uint64_t> starts(const Cfg& cfg) {
  std::vector<uint64_t> out;
  for (const CodeBlock& block : cfg.blocks) out.push_back(block.start - kBase);
  return out;
}
std::vector<std::pair<uint64_t, uint64_t>> edges(const Cfg& cfg) {
  std::vector<std::pair<uint64_t, uint64_t>> out;
  for (const CfgEdge& edge : cfg.edges)
    out.emplace_back(cfg.blocks[edge.from].start - kBase, cfg.blocks[edge.to].start - kBase);
  return out;
}
using Starts = std::vector<uint64_t>;
using Edges = std::vector<std::pair<uint64_t, uint64_t>>;

TEST(ControlFlow, ABranchAndItsJoin) {
  // 0: test edi,edi; je 6   4: inc eax   6: ret
  const Sample s = sample({0x85, 0xff, 0x74, 0x02, 0xff, 0xc0, 0xc3}, {0});
  const Cfg& cfg = s.flow.cfg(0);
  EXPECT_EQ(starts(cfg), (Starts{0, 4, 6}));
  EXPECT_EQ(edges(cfg), (Edges{{0, 4}, {0, 6}, {4, 6}}));
  EXPECT_EQ(cfg.blocks[0].instructions, 2u);
  EXPECT_EQ(cfg.blocks[1].ends, BlockEnd::kFallThrough);
  EXPECT_EQ(cfg.exits(), std::vector<Digraph::Node>{2});
  EXPECT_TRUE(s.flow.returns(0));
  EXPECT_EQ(post_dominators(cfg.graph(), cfg.entry, cfg.exits()).immediate(0), 2u);
}

TEST(ControlFlow, CallsOfFunctionsThatDoNotReturnEndThePath) {
  // 0: call 8; 5: ret   8: call 16; 13: (bad)   16: ud2
  Bytes code(18, 0x06);
  const auto put = [&](size_t at, const Bytes& bytes) {
    std::copy(bytes.begin(), bytes.end(), code.begin() + static_cast<ptrdiff_t>(at));
  };
  put(0, {0xe8, 3, 0, 0, 0, 0xc3});
  put(8, {0xe8, 3, 0, 0, 0});
  put(16, {0x0f, 0x0b});
  const Sample s = sample(code, {0, 8, 16});
  for (uint32_t f = 0; f < 3; ++f) {
    EXPECT_FALSE(s.flow.returns(f)) << f;
    EXPECT_EQ(s.flow.cfg(f).blocks.size(), 1u);
    EXPECT_TRUE(s.flow.cfg(f).blocks[0].leaves);
  }
  EXPECT_TRUE(s.flow.cfg(0).blocks[0].no_return);
  const std::vector<CallEdge> calls{{0, 1, kBase, CallKind::kDirect},
                                    {1, 2, kBase + 8, CallKind::kDirect}};
  EXPECT_EQ(s.flow.calls(), calls);
}

TEST(ControlFlow, RecursionReturnsOnlyThroughABaseCase) {
  // 0: call 0; ret           only calls itself
  // 8: test edi,edi; je 17; call 8; 17: ret
  Bytes code{0xe8, 0xfb, 0xff, 0xff, 0xff, 0xc3, 0x90, 0x90, 0x85,
             0xff, 0x74, 0x05, 0xe8, 0xf7, 0xff, 0xff, 0xff, 0xc3};
  const Sample s = sample(code, {0, 8});
  EXPECT_FALSE(s.flow.returns(0));
  EXPECT_TRUE(s.flow.returns(1));
  EXPECT_EQ(edges(s.flow.cfg(1)), (Edges{{8, 12}, {8, 17}, {12, 17}}));
}

TEST(ControlFlow, TailCallsLeaveAndReturnAsTheirTargetDoes) {
  // 0: jmp 8   8: ret   16: jmp 24   24: hlt
  Bytes code(25, 0x90);
  code[0] = 0xeb, code[1] = 6, code[8] = 0xc3, code[16] = 0xeb, code[17] = 6, code[24] = 0xf4;
  const Sample s = sample(code, {0, 8, 16, 24});
  EXPECT_TRUE(s.flow.cfg(0).blocks[0].tail_call);
  EXPECT_TRUE(s.flow.cfg(0).blocks[0].leaves);
  EXPECT_TRUE(s.flow.cfg(0).edges.empty());
  EXPECT_TRUE(s.flow.returns(0));
  EXPECT_FALSE(s.flow.returns(2));
  EXPECT_EQ(s.flow.calls()[0].kind, CallKind::kTail);
}

TEST(ControlFlow, OverlappingCodeComesTogether) {
  // 0: je 3   2: lock cmpxchg [rdi],esi (3: without lock)   6: ret
  const Sample s = sample({0x74, 0x01, 0xf0, 0x0f, 0xb1, 0x37, 0xc3}, {0});
  EXPECT_EQ(starts(s.flow.cfg(0)), (Starts{0, 2, 3, 6}));
  EXPECT_EQ(edges(s.flow.cfg(0)), (Edges{{0, 2}, {0, 3}, {2, 6}, {3, 6}}));
}

TEST(ControlFlow, ObservedJumpsBringBlocksIn) {
  // 0: jmp rax   2: nop; ret   4: ret
  const Bytes code{0xff, 0xe0, 0x90, 0xc3, 0xc3};
  const Cfg alone = sample(code, {0}).flow.cfg(0);
  EXPECT_EQ(alone.blocks.size(), 1u);
  EXPECT_TRUE(alone.blocks[0].unknown_target);
  EXPECT_TRUE(alone.blocks[0].leaves);
  const Cfg seen = sample(code, {0}, {{kBase, kBase + 2}, {kBase, kBase + 4}}).flow.cfg(0);
  EXPECT_EQ(edges(seen), (Edges{{0, 2}, {0, 4}}));
  EXPECT_EQ(seen.edges[0].kind, EdgeKind::kObserved);
  EXPECT_FALSE(seen.blocks[0].unknown_target);
  EXPECT_FALSE(seen.blocks[0].leaves);
  EXPECT_TRUE(seen.blocks[0].some_targets);
  EXPECT_EQ(seen.unexplained, 0u);
}

TEST(ControlFlow, ObservedEdgesThatContradictTheCodeAreCounted) {
  // 0: jmp 3   2: nop   3: nop   4: ret
  const Sample s = sample({0xeb, 0x01, 0x90, 0x90, 0xc3}, {0},
                          {{kBase, kBase + 3}, {kBase, kBase + 2}, {kBase + 3, kBase + 2}});
  EXPECT_EQ(s.flow.cfg(0).unexplained, 2u);
}

TEST(ControlFlow, AnObservedReturnProvesThatTheCallReturns) {
  // 0: call 6; ret   6: hlt
  const Bytes code{0xe8, 1, 0, 0, 0, 0xc3, 0xf4};
  EXPECT_FALSE(sample(code, {0, 6}).flow.returns(0));
  EXPECT_TRUE(sample(code, {0, 6}, {{ObservedEdge::kElsewhere, kBase + 5}}).flow.returns(0));
}

TEST(ControlFlow, WhatIsNoCodeEndsABlock) {
  const Cfg cfg = sample({0x90, 0x06}, {0}).flow.cfg(0);
  ASSERT_EQ(cfg.blocks.size(), 1u);
  EXPECT_EQ(cfg.blocks[0].ends, BlockEnd::kUndecodable);
  EXPECT_TRUE(cfg.blocks[0].leaves);
}

// A switch over edi with 4 cases, as position independent code has it: offsets at 0x20.
Bytes switch_code() {
  Bytes code{0x83, 0xff, 0x03,                       // 0: cmp edi,3
             0x77, 0x11,                             // 3: ja 0x16
             0x48, 0x8d, 0x15, 0x14, 0,    0,    0,  // 5: lea rdx,[rip+0x14] = 0x20
             0x48, 0x63, 0x04, 0xba,                 // c: movsxd rax,[rdx+rdi*4]
             0x48, 0x01, 0xd0,                       // 10: add rax,rdx
             0x3e, 0xff, 0xe0,                       // 13: notrack jmp rax
             0xc3,                                   // 16: ret
             0x90, 0xc3, 0x90, 0xc3, 0x90, 0xc3,     // 17, 19, 1b
             0xc3, 0x90, 0x90};
  for (const int32_t to : {0x17, 0x19, 0x17, 0x1b, 0x1d}) {  // the last one is not the table's
    const int32_t offset = to - 0x20;
    const auto* bytes = reinterpret_cast<const uint8_t*>(&offset);
    code.insert(code.end(), bytes, bytes + 4);
  }
  return code;
}

TEST(ControlFlow, TablesAreReadUpToTheLimitOfTheIndex) {
  const Cfg cfg = sample(switch_code(), {0}).flow.cfg(0);
  EXPECT_EQ(starts(cfg), (Starts{0, 5, 0x16, 0x17, 0x19, 0x1b}));
  EXPECT_EQ(edges(cfg), (Edges{{0, 5}, {0, 0x16}, {5, 0x17}, {5, 0x19}, {5, 0x1b}}));
  EXPECT_EQ(cfg.edges[2].kind, EdgeKind::kTable);
  EXPECT_FALSE(cfg.blocks[1].some_targets);
}

// Two computed gotos that share one jump, as clang makes it without optimization: each loads from
// its table into a slot of the stack.
Bytes shared_jump_code(bool in_register) {
  Bytes code{0x85, 0xf6,                                // 0: test esi,esi
             0x74, 0x0f,                                // 2: je 0x13
             0x48, 0x8b, 0x04, 0xfd, 0x40, 0x10, 0, 0,  // 4: mov rax,[rdi*8+0x1040]
             0x48, 0x89, 0x45, 0xf8,                    // c: mov [rbp-8],rax
             0xeb, 0x0d,                                // 10: jmp 0x1f
             0x90,                                      // 12
             0x48, 0x8b, 0x04, 0xfd, 0x50, 0x10, 0, 0,  // 13: mov rax,[rdi*8+0x1050]
             0x48, 0x89, 0x45, 0xf8,                    // 1b: mov [rbp-8],rax
             0x48, 0x8b, 0x45, 0xf8,                    // 1f: mov rax,[rbp-8]
             0xff, 0xe0,                                // 23: jmp rax
             0x90, 0xc3, 0x90, 0xc3, 0x90, 0xc3,        // 25, 27, 29
             0x90, 0xc3};                               // 2b
  if (in_register) std::fill_n(code.begin() + 0x1f, 4, 0x90);
  code.resize(0x40, 0xcc);
  for (const uint64_t to : {0x1025, 0x1027, 0x1029, 0x102b, 0}) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&to);
    code.insert(code.end(), bytes, bytes + 8);
  }
  return code;
}

TEST(ControlFlow, TablesOfWaysThatMeetAreAllFound) {
  for (const bool in_register : {false, true}) {
    const Cfg cfg = sample(shared_jump_code(in_register), {0}).flow.cfg(0);
    EXPECT_EQ(starts(cfg), (Starts{0, 4, 0x13, 0x1f, 0x25, 0x27, 0x29, 0x2b}));
    EXPECT_EQ(edges(cfg), (Edges{{0, 4},
                                 {0, 0x13},
                                 {4, 0x1f},
                                 {0x13, 0x1f},
                                 {0x1f, 0x25},
                                 {0x1f, 0x27},
                                 {0x1f, 0x29},
                                 {0x1f, 0x2b}}));
    EXPECT_TRUE(cfg.blocks[3].some_targets);
  }
}

// A way by which another value comes to the jump adds nothing, and takes nothing away.
TEST(ControlFlow, AWayWithoutATableKeepsThatOfTheOther) {
  Bytes code = shared_jump_code(true);
  std::fill_n(code.begin() + 4, 8, 0x90);
  const Cfg cfg = sample(code, {0}).flow.cfg(0);
  EXPECT_EQ(starts(cfg), (Starts{0, 4, 0x13, 0x1f, 0x29, 0x2b}));
  EXPECT_TRUE(cfg.blocks[3].some_targets);
}

TEST(ControlFlow, ATableThatLeadsNowhereIsNone) {
  Bytes code = switch_code();
  for (size_t i = 0x20; i < code.size(); ++i) code[i] = 0x7f;
  const Cfg cfg = sample(code, {0}).flow.cfg(0);
  EXPECT_TRUE(cfg.blocks[1].unknown_target);
}

TEST(ControlFlow, LandingPadsAreReachedFromTheirCalls) {
  EXPECT_EQ(control_flow_test_catches([](int) {}, 1), 0);
  const auto image = CodeImage::from_file("/proc/self/exe");
  const auto symbols = ElfSymbols::from_file("/proc/self/exe");
  ASSERT_TRUE(image && symbols);
  const auto frames = read_eh_frame(*image);
  const ControlFlow flow =
      ControlFlow::build(*image, FunctionTable::make(*image, &*symbols, frames), frames);
  const auto found = flow.functions().named("control_flow_test_catches");
  ASSERT_EQ(found.size(), 1u);
  const Cfg& cfg = flow.cfg(found[0]);
  const auto pads = std::ranges::count_if(cfg.edges, [&](const CfgEdge& edge) {
    return edge.kind == EdgeKind::kException && cfg.blocks[edge.to].landing_pad &&
           (cfg.blocks[edge.from].ends == BlockEnd::kIndirectCall ||
            cfg.blocks[edge.from].ends == BlockEnd::kCall);
  });
  EXPECT_GE(pads, 1);
  // Every block of a function without observed edges is reached.
  for (uint32_t f = 0; f < flow.functions().size(); ++f)
    for (const CodeBlock& block : flow.cfg(f).blocks) ASSERT_FALSE(block.entered);
}

// The branches that decide about some block of the function.
std::set<uint32_t> deciding(const Cfg& cfg, PostDominance policy) {
  std::set<uint32_t> out;
  const auto relation = control_dependence(cfg.post_dominators(policy));
  for (uint32_t i = 0; i < cfg.blocks.size(); ++i)
    for (const ControlDependence::Entry& entry : relation->of(i)) out.insert(entry.branch);
  return out;
}

TEST(PostDominance, NothingDependsOnACallNotThrowing) {
  const auto module = ModuleCode::open_memory(*read_file("/proc/self/exe"), {});
  ASSERT_TRUE(module);
  const auto found = module->flow().functions().named("control_flow_test_catches");
  ASSERT_EQ(found.size(), 1u);
  const Cfg& cfg = module->flow().cfg(found[0]);
  const auto throws = std::ranges::find(cfg.edges, EdgeKind::kException, &CfgEdge::kind);
  ASSERT_NE(throws, cfg.edges.end());
  EXPECT_TRUE(deciding(cfg, PostDominance::kEveryEdge).contains(throws->from));
  EXPECT_FALSE(deciding(cfg, PostDominance::kNoExceptions).contains(throws->from));
}

TEST(PostDominance, ABranchDecidesWhetherACallThatDoesNotReturnIsAvoided) {
  // 0: test edi,edi; je 9   4: call 16 (does not return)   9: ret   16: ud2
  Bytes code(18, 0x90);
  const Bytes first{0x85, 0xff, 0x74, 0x05, 0xe8, 7, 0, 0, 0, 0xc3};
  std::ranges::copy(first, code.begin());
  code[16] = 0x0f;
  code[17] = 0x0b;
  const Sample s = sample(code, {0, 16});
  const Cfg& cfg = s.flow.cfg(0);
  ASSERT_EQ(starts(cfg), (Starts{0, 4, 9}));
  EXPECT_TRUE(cfg.blocks[1].no_return);
  const PostDominators post = cfg.post_dominators(PostDominance::kNoExceptions);
  EXPECT_EQ(post.immediate(0), post.exit());
  EXPECT_EQ(control_dependence(post)->of(2).size(), 1u);
}

}  // namespace
}  // namespace twinrun
