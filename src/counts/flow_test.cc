// SPDX-License-Identifier: MIT
#include "counts/flow.h"

#include "counts/function_flow.h"
#include "run/executable_files.h"
#include "trace/trace_builder.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(Flow, EdgesConnectExecutedInstructions) {
  const Bytes bytes = small_recording();
  auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.has_value());
  twinrun::Run run(std::move(*reader));
  const auto files = executable_files(run.reader(), {1, 2});
  ASSERT_TRUE(files.has_value());
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ((*files)[0].path, "/bin/prog");
  const auto flow = executed_flow(run, {1, 2}, "/bin/prog");
  ASSERT_TRUE(flow.has_value()) << flow.error().message;
  ASSERT_FALSE(flow->edges.empty());
  uint64_t before = 0;
  for (const CountedEdge& counted : flow->edges) {
    EXPECT_GT(counted.count, 0u);
    if (counted.edge.from != ObservedEdge::kElsewhere) {
      EXPECT_TRUE(flow->instructions.contains(counted.edge.from)) << counted.edge.from;
    }
    if (counted.edge.to != ObservedEdge::kElsewhere) {
      EXPECT_FALSE(flow->code.at(counted.edge.to).empty());
    }
    EXPECT_GE(counted.edge.from, before);
    before = counted.edge.from;
  }
  EXPECT_FALSE(executed_flow(run, {77}, "/bin/prog").has_value());
}

TEST(Flow, WithoutItsFileTheExecutedCodeIsKnown) {
  const Bytes bytes = small_recording();
  auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.has_value());
  twinrun::Run run(std::move(*reader));
  const MappedFile file{"/nonexistent/prog", {}, true};
  EXPECT_EQ(run.binaries().module(file).error().code, "P010");
  const auto executed = executed_flow(run, {1}, "/bin/prog");
  ASSERT_TRUE(executed.has_value());
  const ModuleFlow module = module_flow(run.binaries(), file, *executed);
  EXPECT_FALSE(module.from_file);
  EXPECT_FALSE(module.note.empty());
}

TEST(FunctionFlow, CountsOfEdgesAddUp) {
  // 0: test edi,edi; je 6   4: inc eax   6: ret, executed 5 times, twice through 4.
  ExecutedFlow executed;
  executed.code.add({0x1000, Bytes{0x85, 0xff, 0x74, 0x02, 0xff, 0xc0, 0xc3}, true, false});
  executed.edges = {{{0x1002, 0x1004}, 2}, {{0x1002, 0x1006}, 3}};
  executed.instructions = {{0x1000, 5}, {0x1002, 5}, {0x1004, 2}, {0x1006, 5}};
  const ControlFlow control = ControlFlow::build(
      executed.code, FunctionTable::make(executed.code, nullptr, {}, std::vector<uint64_t>{0x1000}),
      {}, {});
  const FunctionFlow flow = function_flow(control, 0, &executed);
  ASSERT_EQ(flow.blocks.size(), 3u);
  EXPECT_EQ(flow.blocks[0].count, 5u);
  EXPECT_EQ(flow.blocks[0].post_dominator, 0x1006u);
  ASSERT_EQ(flow.blocks[0].successors.size(), 2u);
  EXPECT_EQ(flow.blocks[0].successors[0].count, 2u);
  EXPECT_EQ(flow.blocks[0].successors[1].count, 3u);
  EXPECT_EQ(flow.blocks[1].successors[0].count, 2u);
  EXPECT_FALSE(flow.blocks[2].post_dominator.has_value());
  EXPECT_FALSE(function_flow(control, 0, nullptr).blocks[0].count.has_value());
}

}  // namespace
}  // namespace twinrun
